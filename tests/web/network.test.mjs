// A provider that is asked directly, from a page of another origin, and does not simply answer.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { App, launch } from './support/app.mjs'
import { answers, provider, say } from './support/provider.mjs'
import { serve, withSettings } from './support/site.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser.close())

/** Opens the app with a provider of another origin; what the browser's console says of failed requests is expected. */
async function withProvider({ replies, options, agent = {} }, run) {
  const model = await provider(replies, options)
  const baseUrl = `http://127.0.0.1:${model.port}/v1`
  const retry = { baseDelayMs: 1, maxDelayMs: 1 }
  const site = await serve({ '/todo': withSettings({ agent: { baseUrl, model: 'some', retry, ...agent(model.port) } }) })
  try {
    const app = await App.open(browser, `${site.url}/todo`)
    await app.ask('Hello')
    await run(app, model)
    const isOfNetwork = line => /Failed to load resource|blocked by CORS policy|net::ERR/.test(line)
    assert.deepEqual(app.complaints.splice(0).filter(line => !isOfNetwork(line)), [])
    await app.close()
  } finally {
    model.close()
    site.close()
  }
}

const asIs = () => ({})

test('a redirect is not followed, and the page goes nowhere else', async () => {
  const elsewhere = await provider([say('You should not be here.')])
  const location = `http://127.0.0.1:${elsewhere.port}/v1/chat/completions`
  const redirect = answers(answer => answer.writeHead(307, { location }).end())
  const run = withProvider({ replies: [redirect], agent: asIs }, async (app, model) => {
    await app.sees(/redirects: the base URL must be the address where that ends/)
    assert.equal(model.requests.length, 1)
    assert.equal(elsewhere.requests.length, 0)
  })
  await run.finally(elsewhere.close)
})

test("a refusal is told in the provider's words", () => {
  const refusal = answers(answer =>
    answer.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"this key is of nobody"}}'))
  return withProvider({ replies: [refusal], agent: asIs }, app => app.sees(/status 401 .*this key is of nobody/))
})

test('of a server that does not allow the page, what may be wrong is said, and nothing is sent', () =>
  withProvider({ replies: [], options: { allows: false }, agent: () => ({ retry: { maxRetries: 0 } }) }, async (app, model) => {
    await app.sees(/a server must allow the page's origin/)
    assert.equal(model.requests.length, 0, 'nothing of the page was sent')
  }))

test('a reply that breaks off is asked for again', () => {
  const broken = answers(answer => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    answer.write('data: {"choices":[{"index":0,"delta":{"content":"Half of "}}]}\n\n', () => answer.destroy())
  })
  return withProvider({ replies: [broken, say('All of it.')], agent: asIs }, async (app, model) => {
    await app.sees('All of it.')
    assert.equal(model.requests.length, 2)
  })
})

test('name and password of an address are sent as such', () => {
  const agent = port => ({ baseUrl: `http://me:p%40%C3%A4%E2%82%AC@127.0.0.1:${port}/v1` })
  return withProvider({ replies: [say('Welcome.')], agent }, async (app, model) => {
    await app.sees('Welcome.')
    assert.equal(model.requests[0].key, `Basic ${Buffer.from('me:p@ä€').toString('base64')}`)
  })
})

test('an address that cannot be read is not repeated', async () => {
  const site = await serve({ '/todo': withSettings({ agent: { baseUrl: 'https://me:hu#sh@host/v1', model: 'some' } }) })
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${site.url}/todo`)
  const words = await page.getByText('baseUrl').textContent()
  assert.match(words, /baseUrl: .*it is no address/)
  assert.ok(!/hu|sh@/.test(words), words)
  await page.context().close()
  site.close()
})
