// An endpoint and a key that the user types: used at once, and forgotten with the page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { App, launch } from './support/app.mjs'
import { call, provider, say } from './support/provider.mjs'
import { serve, withSettings } from './support/site.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser.close())

test('a key that the user types is in memory alone', async () => {
  const key = 'sk-typed-by-the-user'
  const model = await provider([call('toggle', { record: 't3', checked: true }), say('Milk is done.')])
  const site = await serve({ '/todo': withSettings({}) })
  const app = await App.open(browser, `${site.url}/todo`)

  await app.click('Settings')
  for (const [field, text] of [['Endpoint', `http://127.0.0.1:${model.port}/v1`], ['Model name', 'some'], ['Key', key]]) {
    await app.click(field, /Input/)
    await app.page.keyboard.type(text)
  }
  await app.sees('The key is forgotten when this page is left')
  await app.click('Use')
  await app.sees('In use from the next message on')
  await app.picture('key-typed')
  await app.ask('Mark milk as done')
  await app.holds('milk is done', ({ state }) => state.done === 1)
  await app.sees('Milk is done.')
  assert.deepEqual(model.requests.map(request => request.key), [`Bearer ${key}`, `Bearer ${key}`])

  const kept = await app.page.evaluate(async () =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie, await indexedDB.databases()]))
  assert.match(kept, /Milk is done/, 'the conversation is kept')
  assert.ok(!kept.includes(key), 'the key is not')
  await app.page.reload()
  await app.ready()
  await app.sees(/^Offline planner/)
  await app.close()
  model.close()
  site.close()
})
