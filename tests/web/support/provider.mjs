// A provider that says what a script says, and the real gateway in front of it.
import { spawn } from 'node:child_process'
import http from 'node:http'
import net from 'node:net'
import { App } from './app.mjs'
import { serve, withSettings } from './site.mjs'

export const KEY = 'sk-of-the-gateway-alone'
export const TOKEN = 'session-token-of-this-user'

/** Opens the app with a model that says this, behind the gateway, on a path of the page's own origin. */
export async function openWithModel(browser, replies, run) {
  const model = await provider(replies)
  const door = await gateway(model.port)
  const agent = { baseUrl: '/v1', model: 'whatever', apiKey: TOKEN }
  const site = await serve({ '/todo': withSettings({ agent }) }, door.port)
  try {
    const app = await App.open(browser, `${site.url}/todo`)
    await run(app, model)
    await app.close()
  } finally {
    door.close()
    model.close()
    site.close()
  }
}

/**
 * `replies`: for each request in turn a function from its body to a delta of the assistant, or to a promise of one.
 * `allows`: whether pages of other origins may ask, as at providers that can be used from a browser.
 */
export async function provider(replies, { allows = true } = {}) {
  const requests = []
  const server = http.createServer(async (request, answer) => {
    if (allows) answer.setHeader('access-control-allow-origin', '*')
    answer.setHeader('access-control-allow-headers', 'authorization, content-type')
    if (request.method === 'OPTIONS') return answer.writeHead(204).end()
    let text = ''
    for await (const piece of request) text += piece
    const body = JSON.parse(text)
    const left = new Promise(left => answer.on('close', () => answer.writableFinished || left()))
    requests.push({ body, key: request.headers.authorization, left })
    const reply = replies[requests.length - 1]
    if (reply?.answer) return reply.answer(answer)
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (delta, finish_reason = null) =>
      answer.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'scripted', choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
    chunk({ role: 'assistant', content: '' })
    const delta = reply ? await reply(body) : { content: 'The script is over.' }
    if (answer.destroyed) return
    for (const content of (delta.content ?? '').match(/\S+\s*/g) ?? []) chunk({ content })
    if (delta.tool_calls) chunk({ tool_calls: delta.tool_calls })
    chunk({}, delta.tool_calls ? 'tool_calls' : 'stop')
    answer.end('data: [DONE]\n\n')
  })
  await new Promise(listening => server.listen(0, '127.0.0.1', listening).unref())
  return { requests, port: server.address().port, close: () => server.closeAllConnections() || server.close() }
}

let calls = 0
/** A reply that calls the tool of this name. */
export const call = (name, args) => () => ({
  tool_calls: [{ index: 0, id: `call_${++calls}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
})
/** A reply of another form than a stream: `answer` is the server's. */
export const answers = answer => ({ answer })
export const say = content => () => ({ content })

/** Starts the gateway of the examples. */
async function gateway(upstream) {
  const port = await freePort()
  const child = spawn(process.env.GATEWAY, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      GATEWAY_ADDRESS: `127.0.0.1:${port}`,
      GATEWAY_UPSTREAM: `http://127.0.0.1:${upstream}/v1`,
      GATEWAY_API_KEY: KEY,
      GATEWAY_MODEL: 'scripted',
      GATEWAY_TOKENS: TOKEN,
    },
  })
  await new Promise((listens, fails) => {
    child.stdout.once('data', listens)
    child.once('exit', code => fails(new Error(`the gateway ended: ${code}`)))
  })
  return { port, close: () => child.kill() }
}

async function freePort() {
  const server = net.createServer()
  await new Promise(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address()
  await new Promise(closed => server.close(closed))
  return port
}
