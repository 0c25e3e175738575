// The app in a tab with nothing behind it: no key, no network, the offline planner.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { App, launch, listen } from './support/app.mjs'
import { serve, withSettings } from './support/site.mjs'

let browser, site
before(async () => {
  browser = await launch()
  site = await serve({ '/todo': withSettings({}), '/any': withSettings({ forget: true }) })
})
after(async () => {
  await browser.close()
  site.close()
})

test('the offline planner is asked by keyboard, and the list changes', async () => {
  const app = await App.open(browser, `${site.url}/todo`)
  await app.picture('todo-loaded')
  assert.equal((await app.summary()).state.total, 12)
  await app.ask('Mark milk as done and add bread')
  await app.holds('milk is done and bread is there', ({ records }) =>
    records.some(todo => todo.title === 'Buy milk' && todo.done) && records.some(todo => todo.title === 'bread'))
  await app.picture('todo-asked')
  await app.close()
})

test('the million orders run from the same files', async () => {
  const app = await App.open(browser, `${site.url}/any?app=orders`, undefined, { width: 1280, height: 800 })
  assert.equal((await app.summary()).state.total, 1_000_000)
  await app.ask('Open ORD-500000')
  await app.sees(/^Done/)
  await app.sees('olga.bianchi37@mail.example')
  await app.picture('orders')
  await app.close()
})

test('the files run as they were built, from any static server', async () => {
  const page = await (await browser.newContext({ viewport: { width: 960, height: 600 } })).newPage()
  const complaints = []
  listen(page, complaints)
  await page.goto(site.url)
  await page.locator('#status').waitFor({ state: 'detached' })
  assert.equal(await page.getAttribute('#app', 'data-summary'), null, 'and tell the page nothing')
  await page.context().close()
  assert.deepEqual(complaints, [])
})

test('settings that cannot be used are said on the page', async () => {
  const bad = await serve({ '/todo': withSettings({ agent: { baseUrl: 'ftp://files', model: 'x' } }), '/typo': withSettings({ ofline: true }) })
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${bad.url}/todo`)
  await page.getByText('baseUrl: expected a URL').waitFor()
  await page.goto(`${bad.url}/typo`)
  await page.getByText('unknown field `ofline`').waitFor()
  await page.context().close()
  bad.close()
})
