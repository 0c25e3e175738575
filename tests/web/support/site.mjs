// A static server for the built app: what any static server does, and pages with other settings than the file's.
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'

const dist = new URL('../../../examples/web/dist/', import.meta.url).pathname
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' }

/** Starts a server. `pages`: by path, HTML that is made of the built page's. `/v1/` goes on to `gateway`. */
export async function serve(pages = {}, gateway = undefined) {
  const server = http.createServer(async (request, answer) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    if (gateway && pathname.startsWith('/v1/')) return onward(request, answer, gateway)
    try {
      const name = pathname === '/' ? 'index.html' : pathname.slice(1)
      const page = pages[pathname]
      const body = page ? page(await readFile(path.join(dist, 'index.html'), 'utf8')) : await readFile(path.join(dist, name))
      answer.writeHead(200, { 'content-type': page ? 'text/html' : types[path.extname(name)] ?? 'text/plain' })
      answer.end(body)
    } catch {
      answer.writeHead(404).end()
    }
  })
  // A test that fails does not close it.
  await new Promise(listening => server.listen(0, '127.0.0.1', listening).unref())
  return { url: `http://localhost:${server.address().port}`, port: server.address().port, close: () => server.close() }
}

/** The built page with settings of its author. */
export const withSettings = settings => html =>
  html.replace(/(id="pling">)[^<]*/, `$1${JSON.stringify({ tell: true, ...settings })}`)

function onward(request, answer, port) {
  const options = { port, path: request.url, method: request.method, headers: request.headers }
  const sent = http.request(options, reply => {
    answer.writeHead(reply.statusCode, reply.headers)
    reply.pipe(answer)
  })
  sent.on('error', () => answer.destroy())
  answer.on('close', () => sent.destroy())
  request.pipe(sent)
}
