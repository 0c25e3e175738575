// A model behind the gateway, on a path of the page's own origin.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { launch } from './support/app.mjs'
import { KEY, TOKEN, call, openWithModel, say } from './support/provider.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser.close())

const withModel = (replies, run) => openWithModel(browser, replies, run)

test('a call of the model is approved by click, and its receipt goes back', () =>
  withModel([call('delete', { record: 't3' }), say('Milk is gone.')], async (app, model) => {
    await app.ask('Delete milk')
    await app.sees('Allow once')
    await app.picture('gateway-asks')
    assert.equal((await app.summary()).state.total, 12, 'nothing runs while the user is asked')
    await app.click('Allow once')
    await app.holds('milk is gone', ({ records }) => records.every(todo => todo.title !== 'Buy milk'))
    await app.sees('Milk is gone.')
    await app.picture('gateway-done')

    assert.equal(model.requests.length, 2)
    for (const { key, body } of model.requests) {
      assert.equal(key, `Bearer ${KEY}`, 'the gateway puts its own key in')
      assert.equal(body.model, 'scripted', 'and its own model')
      assert.ok(body.stream)
    }
    const receipt = model.requests[1].body.messages.findLast(message => message.role === 'tool')
    assert.equal(JSON.parse(receipt.content).result.ok, true)
  }))

test('a denial by click runs nothing', () =>
  withModel([call('delete', { record: 't3' }), say('Then not.')], async (app, model) => {
    await app.ask('Delete milk')
    await app.click('Deny')
    await app.sees('Then not.')
    assert.equal((await app.summary()).state.total, 12)
    assert.match(model.requests[1].body.messages.at(-1).content, /APPROVAL_DENIED/)
  }))

test('a run is stopped by Esc, and the connection to the model ends', () => {
  let gone
  const hangs = new Promise(ended => { gone = ended })
  return withModel([() => hangs, say('Here again.')], async (app, model) => {
    await app.ask('Delete milk')
    await app.sees('Stop')
    await app.page.keyboard.press('Escape')
    await app.sees('Stopped')
    await app.picture('gateway-stopped')
    await model.requests[0].left
    gone({ content: 'Too late.' })
    await app.ask('Are you there?')
    await app.sees('Here again.')
    assert.equal(model.requests.length, 2)
  })
})

test('after a reload the conversation goes on', () =>
  withModel([call('toggle', { record: 't3', checked: true }), say('Milk is done.'), say('We spoke about milk.')], async (app, model) => {
    await app.ask('Mark milk as done')
    await app.sees('Milk is done.')
    await app.page.reload()
    await app.ready()
    await app.sees('Milk is done.')
    await app.sees('Continued from before')
    await app.picture('gateway-reloaded')
    await app.ask('What did we speak about?')
    await app.sees('We spoke about milk.')
    const told = model.requests[2].body.messages.map(message => message.content)
    assert.ok(told.includes('Mark milk as done') && told.includes('Milk is done.'), 'the model knows what was said before')

    const kept = await app.page.evaluate(() => JSON.stringify(Object.entries(localStorage)))
    assert.match(kept, /Milk is done/)
    assert.ok(!kept.includes(TOKEN), 'no token is kept')
  }))
