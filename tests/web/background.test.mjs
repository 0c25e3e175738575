// A tab that nobody sees: it pauses, says so, and loses nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { launch } from './support/app.mjs'
import { call, openWithModel, say } from './support/provider.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser.close())

/** As browsers do it: no frames, and a word that it changed. */
const setHidden = (page, hidden) => page.evaluate(hidden => {
  window.frame ??= window.requestAnimationFrame
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => hidden ? 'hidden' : 'visible' })
  window.requestAnimationFrame = hidden ? () => 0 : window.frame
  document.dispatchEvent(new Event('visibilitychange'))
}, hidden)

test('a run in a tab in the background pauses, says so, and goes on', () => {
  let hide
  const toggles = call('toggle', { record: 't3', checked: true })
  // The tab goes to the background while the model thinks.
  const reply = async () => { await hide(); return toggles() }
  return openWithModel(browser, [reply, say('Milk is done.')], async (app, model) => {
    hide = () => setHidden(app.page, true)
    await app.ask('Mark milk as done')
    while (model.requests.length === 0) await app.page.waitForTimeout(100)
    // Longer than a hidden window is waited for natively.
    await app.page.waitForTimeout(5000)
    assert.equal((await app.summary()).state.done, 0, 'nothing runs that nobody can see')
    assert.equal(model.requests.length, 1, 'and the run is not over')
    await setHidden(app.page, false)
    await app.holds('milk is done', ({ state }) => state.done === 1)
    await app.sees('Milk is done.')
    await app.sees(/^Paused: this tab is in the background/)
    await app.picture('background')
    const receipt = model.requests[1].body.messages.at(-1)
    assert.equal(JSON.parse(receipt.content).result.ok, true)
  })
})
