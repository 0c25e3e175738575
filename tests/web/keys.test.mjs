// Keyboard, composition, clipboard and touch in the panel; and the page around, whose keys are its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { App, launch } from './support/app.mjs'
import { serve, withSettings } from './support/site.mjs'

let browser, site
before(async () => {
  browser = await launch()
  site = await serve({
    '/todo': withSettings({}),
    '/around': html => withSettings({ allowedOrigins: [] })(html)
      .replace('<canvas', '<input id="outside" aria-label="outside" /><a id="link" href="#here">link</a><canvas')
      .replace('height: 100%;\n      }', 'height: 90%;\n      }'),
  })
})
after(async () => {
  await browser.close()
  site.close()
})

test('C19: the Enter that ends a composition sends nothing, the next one sends', async () => {
  const app = await App.open(browser, `${site.url}/todo`)
  await app.click('Message to the assistant')
  const devtools = await app.page.context().newCDPSession(app.page)
  const compose = text => devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
  for (const text of ['に', 'にほ', 'にほん']) await compose(text)
  // The Enter that picks a candidate is a key of the composition.
  const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 }
  await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
  await devtools.send('Input.insertText', { text: '日本' })
  await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter, windowsVirtualKeyCode: 13 })
  await app.page.keyboard.type(' export')
  await app.picture('keys-composed')
  const before = await app.shown()
  assert.ok(before.some(node => node.value === '日本 export'), 'what was composed is in the composer')
  await app.page.keyboard.press('Enter')
  await app.sees('日本 export', 'Label')
  await app.close()
})

test('what is pasted lands in the composer, and is sent once', async () => {
  const app = await App.open(browser, `${site.url}/todo`)
  await app.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await app.click('Message to the assistant')
  await app.page.evaluate(() => navigator.clipboard.writeText('Mark milk as done'))
  await app.page.keyboard.press('ControlOrMeta+v')
  await app.page.keyboard.press('Enter')
  await app.holds('milk is done', ({ records }) => records.some(todo => todo.title === 'Buy milk' && todo.done))
  await app.close()
})

test('a finger opens a view of the panel, and toggles what is on the page', async () => {
  const context = await browser.newContext({ viewport: { width: 960, height: 600 }, hasTouch: true })
  const app = new App(await context.newPage())
  await app.page.goto(`${site.url}/todo`)
  await app.ready()
  const tap = async text => {
    const { x, y } = await app.sees(text)
    await app.page.touchscreen.tap(x, y)
  }
  await tap('Inspector')
  await app.sees(/^Budgets?|^Actions|add_todo/)
  await app.picture('keys-touched')
  await tap('Buy milk')
  await app.holds('milk is done', ({ records }) => records.some(todo => todo.title === 'Buy milk' && todo.done))
  await app.close()
})

test('C20: keys belong to the page while the canvas has no focus, and the agent works all the same', async () => {
  const app = await App.open(browser, `${site.url}/around`)
  const { page } = app
  await app.ask('Synchronize the tasks')
  await page.focus('#outside')
  await page.evaluate(() => {
    window.taken = []
    addEventListener('keydown', event => { if (event.defaultPrevented) taken.push(event.key) })
    window.heard = []
    addEventListener('keydown', event => heard.push(event.key))
  })
  await page.keyboard.type('hello k')
  await page.keyboard.press('Control+k')
  for (const key of ['Escape', 'Backspace', 'ArrowLeft', 'Home', 'Space']) await page.keyboard.press(key)
  assert.equal(await page.inputValue('#outside'), ' hello ')
  assert.deepEqual(await page.evaluate(() => taken), [], 'no key is taken')
  assert.equal(await page.evaluate(() => heard.length), 14, 'and each is heard')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'link')
  await app.sees(/tasks synchronized/)
  assert.ok(!(await app.shown()).some(({ text }) => /palette/i.test(text)), 'the palette stays closed')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'link', 'and the focus stays')
  await app.picture('keys-around')
  await app.close()
})

test('Ctrl+K is the palette while the app has the keyboard, and not the address bar', async () => {
  const app = await App.open(browser, `${site.url}/todo`)
  const { page } = app
  await app.click('Message to the assistant')
  await page.evaluate(() => addEventListener('keydown', event => setTimeout(() => { window.taken = event.defaultPrevented }), true))
  await page.keyboard.press('Control+k')
  await app.sees('Find an action')
  assert.equal(await page.evaluate(() => taken), true)
  await page.keyboard.press('Control+Shift+k')
  assert.equal(await page.evaluate(() => taken), false, 'another shortcut is not ours')
  await app.close()
})
