// The app in a tab, seen as its user does: by what is shown where, by keys and by clicks.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { chromium } from 'playwright-core'

const pictures = process.env.PLING_PICTURES
const flags = [
  '--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic',
  '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
]
/** Drawing in software on a busy machine takes its time. */
const PATIENCE = 20_000

export const launch = (more = []) =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...flags, ...more] })

/** Collects everything in the console that should not be there. */
export function listen(page, complaints) {
  page.on('console', message => {
    // Advice on speed: on screenshots of what is drawn in software, and on how eframe draws glyphs that its fonts lack.
    const isAdvice = /GPU stall due to ReadPixels|Multiple readback operations using getImageData/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isAdvice) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
}

const matches = (wanted, text) => wanted instanceof RegExp ? wanted.test(text) : wanted === text

export class App {
  complaints = []

  constructor(page) {
    this.page = page
    page.setDefaultTimeout(PATIENCE)
    listen(page, this.complaints)
  }

  static async open(browser, url, prepare = async () => {}, viewport = { width: 960, height: 600 }) {
    const context = await browser.newContext({ viewport })
    const app = new App(await context.newPage())
    await prepare(app.page)
    await app.page.goto(url)
    await app.ready()
    return app
  }

  async ready() {
    await this.page.waitForFunction(() => document.querySelector('#app[data-summary]'))
    assert.equal(await this.page.locator('#status').count(), 0, 'the app runs, and the page says nothing else')
  }

  /** What the app itself holds. */
  async summary() {
    return JSON.parse(await this.page.getAttribute('#app', 'data-summary'))
  }

  /** Waits until the app holds something. */
  async holds(what, predicate) {
    try {
      await this.page.waitForFunction(
        source => new Function('summary', `return (${source})(summary)`)(JSON.parse(document.querySelector('#app').dataset.summary)),
        predicate.toString(), { polling: 100 })
    } catch (error) {
      await this.picture('failed')
      throw new Error(`the app never holds: ${what}; it shows ${JSON.stringify((await this.shown()).map(node => node.text))}`, { cause: error })
    }
  }

  /** Everything that is shown and has a text, with its place. */
  async shown() {
    await this.page.evaluate(() => { document.querySelector('#app').dataset.shown = '' })
    // Moving a pointer makes a pass.
    const box = await this.page.locator('#app').boundingBox()
    for (let step = 0; step < 300; step++) {
      await this.page.mouse.move(box.x + 2 + (step % 2), box.y + 2)
      const shown = await this.page.getAttribute('#app', 'data-shown')
      if (shown) return JSON.parse(shown)
      await this.page.waitForTimeout(50)
    }
    throw new Error('no pass is drawn')
  }

  /** Waits until something is shown whose text, and role, are or match these. */
  async sees(text, role = undefined) {
    const fits = node =>
      matches(text, node.text) && (role === undefined || matches(role, node.role))
    for (const end = Date.now() + PATIENCE; ;) {
      const shown = await this.shown()
      const found = shown.find(fits)
      if (found) return found
      if (Date.now() > end) {
        await this.picture('failed')
        throw new Error(`never shown: ${text}; but ${JSON.stringify(shown.map(node => node.text))}`)
      }
    }
  }

  async click(text, role = undefined) {
    const { x, y } = await this.sees(text, role)
    const box = await this.page.locator('#app').boundingBox()
    await this.page.mouse.click(box.x + x, box.y + y)
  }

  /** Writes to the assistant with the keyboard, and sends it. */
  async ask(text) {
    await this.click('Message to the assistant')
    await this.page.keyboard.type(text)
    await this.page.keyboard.press('Enter')
  }

  /** A picture for people. */
  async picture(name) {
    if (!pictures) return
    mkdirSync(pictures, { recursive: true })
    await this.page.screenshot({ path: `${pictures}/${name}.png` })
  }

  async close() {
    await this.page.context().close()
    assert.deepEqual(this.complaints, [], 'the console is free of complaints')
  }
}
