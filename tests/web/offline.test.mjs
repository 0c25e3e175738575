// The app in a tab with nothing behind it: no key, no network, the offline planner.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { App, launch } from './support/app.mjs'
import { serve, withSettings } from './support/site.mjs'

let browser, site
before(async () => {
  browser = await launch()
  site = await serve({ '/todo': withSettings({}) })
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
