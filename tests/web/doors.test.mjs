// Outside agents: another page by postMessage, and agents of the browser by WebMCP.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { App, launch, listen } from './support/app.mjs'
import { serve, withSettings } from './support/site.mjs'

const SCHEMA = 'pling.surface/0.1'
const polyfill = createRequire(import.meta.url).resolve('@mcp-b/webmcp-polyfill').replace(/index\.\w+$/, 'index.iife.js')

let browser
before(async () => { browser = await launch(['--enable-features=WebMCP', '--enable-blink-features=WebMCP']) })
after(() => browser.close())

/** A page that embeds the app and remembers every message it gets. */
const embedding = url => () => `<!doctype html><title>desk</title><link rel="icon" href="data:," />
  <iframe id="frame" src="${url}" style="width: 940px; height: 580px"></iframe>
  <script>
    const answers = []
    addEventListener('message', ({ origin, data }) => answers.push({ origin, data }))
    const send = message => document.querySelector('#frame').contentWindow.postMessage(message, '*')
    const ask = (verb, args, id = Math.random()) => {
      send({ schema: '${SCHEMA}', id, verb, arguments: args })
      return new Promise((answered, fails) => {
        setTimeout(() => fails(new Error('no answer to ' + verb)), 15_000)
        const look = () => {
          const answer = answers.find(({ data }) => data.id === id)
          answer ? answered(answer.data.answer) : setTimeout(look, 50)
        }
        look()
      })
    }
  </script>`

/** The app in a frame of a page of another origin, which is allowed in or not. */
async function embedded(allowed, run) {
  const own = {}, other = {}
  const [app, desk] = [await serve(own), await serve(other)]
  own['/todo'] = withSettings({ allowedOrigins: allowed(desk.url) })
  other['/desk'] = embedding(`http://127.0.0.1:${app.port}/todo`)
  const page = await (await browser.newContext({ viewport: { width: 960, height: 600 } })).newPage()
  const complaints = []
  listen(page, complaints)
  try {
    await page.goto(`${desk.url}/desk`)
    const frame = page.frameLocator('#frame')
    await frame.locator('#app[data-summary]').waitFor({ timeout: 60_000 })
    const summary = async () => JSON.parse(await frame.locator('#app').getAttribute('data-summary'))
    await run(page, summary)
    assert.deepEqual(complaints, [])
  } finally {
    await page.context().close()
    app.close()
    desk.close()
  }
}

test('a page of an allowed origin describes, searches and operates the app', () =>
  embedded(desk => [desk], async (page, summary) => {
    const described = await page.evaluate(() => ask('describe'))
    assert.equal(described.schema, SCHEMA)
    assert.match(described.text, /Buy milk/)
    const toggle = described.actions.find(({ name }) => name.includes('toggle'))

    const answer = await page.evaluate(
      action => ask('invoke', { action, arguments: { record: 't3', checked: true } }), toggle.name)
    assert.equal(answer.result.ok, true)
    assert.ok((await summary()).records.find(todo => todo.id === 't3').done)

    const found = await page.evaluate(() => ask('search', { query: 'passport' }))
    assert.equal(found.records[0].label, 'Renew the passport')
  }))

test('what is wrong with a message is said, and nothing is done', () =>
  embedded(desk => [desk], async (page, summary) => {
    const of = (verb, args) => page.evaluate(([verb, args]) => ask(verb, args), [verb, args])
    assert.equal((await of('obey')).error.code, 'INVALID_ARGUMENTS')
    assert.match((await of('invoke', {})).error.message, /action/)
    assert.match((await of('invoke', { action: 'toggle', consent: true })).error.message, /consent/)
    assert.match((await of('search', { query: 'x'.repeat(70_000) })).error?.message ?? 'no answer', /long/)
    assert.equal((await of('invoke', { action: 'fly' })).error.code, 'UNKNOWN_ACTION')
    assert.equal((await summary()).state.done, 0)
  }))

test('consent is given in the app alone: a call that needs it waits, and leaves with its client', () =>
  embedded(desk => [desk], async (page, summary) => {
    const left = await page.evaluate(async () => {
      const deleted = ask('invoke', { action: 'delete', arguments: { record: 't3' } })
      await new Promise(soon => setTimeout(soon, 2000))
      await ask('leave')
      return deleted
    })
    assert.equal(left.error.code, 'CANCELLED')
    assert.equal((await summary()).state.total, 12)
  }))

test('a page of a foreign origin gets no answer, and nothing is done', () =>
  embedded(() => ['https://desk.example.com'], async (page, summary) => {
    const answers = await page.evaluate(async schema => {
      for (const verb of ['describe', 'invoke']) {
        send({ schema, id: verb, verb, arguments: { action: 'toggle', arguments: { record: 't3', checked: true } } })
      }
      await new Promise(soon => setTimeout(soon, 3000))
      return answers
    }, SCHEMA)
    assert.deepEqual(answers, [])
    assert.equal((await summary()).state.done, 0)
  }))

test('without a list nobody is listened to', () =>
  embedded(() => [], async page => {
    const answers = await page.evaluate(async schema => {
      send({ schema, id: 1, verb: 'describe' })
      await new Promise(soon => setTimeout(soon, 3000))
      return answers
    }, SCHEMA)
    assert.deepEqual(answers, [])
  }))

for (const bad of ['*', 'null', 'https://desk.example.com/page', 'desk.example.com']) {
  test(`${bad} is no origin, and the page says so`, async () => {
    const site = await serve({ '/todo': withSettings({ allowedOrigins: [bad] }) })
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${site.url}/todo`)
    await page.getByText(`\`${bad}\` is no origin`).waitFor({ timeout: 60_000 })
    await page.context().close()
    site.close()
  })
}

/** What an agent of the browser does with the registry of this page. */
const byTheBrowser = async () => {
  const registry = document.modelContext
  const tools = await registry.getTools()
  const run = async (name, args) => {
    const tool = tools.find(tool => tool.name === name)
    // Newer registries take an object, older ones its text.
    const answer = await registry.executeTool(tool, args).catch(() => registry.executeTool(tool, JSON.stringify(args)))
    return typeof answer === 'string' ? JSON.parse(answer) : answer
  }
  const described = await run('pling_describe', {})
  const invoked = await run('pling_invoke', { action: 'toggle', arguments: { record: 't3', checked: true } })
  const wrong = await run('pling_invoke', { action: 'fly' })
  return { tools: tools.map(({ name, description, annotations }) => ({ name, description, annotations })), described, invoked, wrong }
}

async function registered(app) {
  const { tools, described, invoked, wrong } = await app.page.evaluate(byTheBrowser)
  const names = ['pling_describe', 'pling_invoke', 'pling_search', 'pling_wait']
  assert.deepEqual(tools.map(({ name }) => name).sort(), names)
  for (const { name, annotations } of tools) {
    assert.equal(annotations.readOnlyHint, name !== 'pling_invoke', name)
    assert.equal(annotations.untrustedContentHint, true, name)
  }
  assert.match(described.content[0].text, /Buy milk/)
  assert.equal(invoked.structuredContent.result.ok, true)
  assert.equal(wrong.isError, true)
  assert.equal(wrong.structuredContent.error.code, 'UNKNOWN_ACTION')
  assert.ok((await app.summary()).records.find(todo => todo.id === 't3').done)
}

test('tools are registered with the browser itself', async context => {
  const site = await serve({ '/todo': withSettings({ webMcp: true }) })
  const app = await App.open(browser, `${site.url}/todo`)
  if (await app.page.evaluate(() => !document.modelContext?.executeTool)) {
    context.skip('this browser has no WebMCP')
  } else {
    await registered(app)
  }
  await app.close()
  site.close()
})

test('tools are registered with the public polyfill', async () => {
  const plain = await launch()
  const site = await serve({ '/todo': withSettings({ webMcp: true }) })
  const app = await App.open(plain, `${site.url}/todo`, page => page.addInitScript({ path: polyfill }))
  await registered(app)
  await app.close()
  await plain.close()
  site.close()
})

test('tools are registered with an older registry, all at once', async () => {
  const plain = await launch()
  const site = await serve({ '/todo': withSettings({ webMcp: true }) })
  const app = await App.open(plain, `${site.url}/todo`, page => page.addInitScript(() => {
    Object.defineProperty(navigator, 'modelContext', { value: { provideContext: ({ tools }) => { window.provided = tools } } })
  }))
  const described = await app.page.evaluate(() => provided.find(tool => tool.name === 'pling_describe').execute({}))
  assert.match(described.content[0].text, /Buy milk/)
  await app.close()
  await plain.close()
  site.close()
})

test('nothing is registered unless the page says so', async () => {
  const plain = await launch()
  const site = await serve({ '/todo': withSettings({}) })
  const app = await App.open(plain, `${site.url}/todo`, page => page.addInitScript({ path: polyfill }))
  assert.deepEqual(await app.page.evaluate(async () => (await document.modelContext.getTools()).length), 0)
  await app.close()
  await plain.close()
  site.close()
})
