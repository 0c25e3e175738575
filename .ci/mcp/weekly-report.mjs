// Marks the weekly report as done through the official TypeScript SDK, and looks again whether it is.
// usage: node weekly-report.mjs SDK auto|legacy http URL TOKEN
//        node weekly-report.mjs SDK auto|legacy stdio BRIDGE NAME
// SDK is the folder of the package @modelcontextprotocol/client.
import assert from 'node:assert/strict'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const [, , sdk, mode, kind, target, secretOrName] = process.argv
const load = file => import(pathToFileURL(path.join(sdk, 'dist', file)))
const { Client, StreamableHTTPClientTransport } = await load('index.mjs')
const { StdioClientTransport, getDefaultEnvironment } = await load('stdio.mjs')

const transport = () => {
  if (kind === 'http') {
    const requestInit = { headers: { Authorization: `Bearer ${secretOrName}` } }
    return new StreamableHTTPClientTransport(new URL(target), { requestInit })
  }
  const { PLING_RUN_DIR } = process.env
  const env = { ...getDefaultEnvironment(), ...(PLING_RUN_DIR && { PLING_RUN_DIR }) }
  return new StdioClientTransport({ command: target, args: [secretOrName], env })
}

const client = new Client({ name: 'weekly-report', version: '1' }, { versionNegotiation: { mode } })
const call = async (name, args = {}) => {
  const result = await client.callTool({ name, arguments: args })
  assert(!result.isError, JSON.stringify(result))
  return result.structuredContent
}

const work = async () => {
  const page = await call('pling_describe')
  const toggle = page.actions.find(action => action.description.startsWith('Mark the task as complete'))
  const { records } = await call('pling_search', { query: 'weekly report' })
  assert.equal(records.length, 1)
  const [report] = records
  assert.equal(report.fields.done, false)

  const args = { record: report.id, checked: true }
  const { result } = await call('pling_invoke', { action: toggle.name, arguments: args })
  assert.equal(result.ok, true)
  assert.equal(result.action.record, report.id)
  assert.deepEqual(result.changed.state, [{ name: 'done', before: 0, after: 1 }])

  // It is among those that are done, and among no others.
  for (const [shown, isThere] of [['open', false], ['done', true]]) {
    await call('pling_invoke', { action: 'set_filter', arguments: { choice: shown } })
    const { text } = await call('pling_describe')
    const record = `{"id":"${report.id}","label":"${report.label}","fields":{"done":true`
    assert.equal(text.includes(record), isThere, `${shown}: ${text}`)
    assert.equal(text.includes(`"id":"${report.id}"`), isThere, `${shown}: ${text}`)
  }
}

const deadline = setTimeout(() => { throw new Error('it takes over a minute') }, 60_000)
await client.connect(transport())
await work()
console.log(`typescript, ${kind}, ${mode}: done, in revision ${client.getNegotiatedProtocolVersion?.() ?? '?'}`)
await client.close()
clearTimeout(deadline)
