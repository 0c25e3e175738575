// Hands requests on to the application with its token, for tools that cannot be told one.
// usage: node with-token.mjs URL TOKEN; prints the port it listens on
import http from 'node:http'

const [, , url, token] = process.argv
const target = new URL(url)
// The listener wants its own port in these; a foreign host or origin goes on as it came.
const own = value => value?.replace(`:${server.address().port}`, `:${target.port}`)

const server = http.createServer((request, answer) => {
  const headers = { ...request.headers, authorization: `Bearer ${token}`, host: own(request.headers.host) }
  if (headers.origin) headers.origin = own(headers.origin)
  const options = { host: target.hostname, port: target.port, path: request.url, method: request.method, headers }
  const onward = http.request(options, reply => {
    answer.writeHead(reply.statusCode, reply.headers)
    reply.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  request.pipe(onward)
}).listen(0, '127.0.0.1', () => console.log(server.address().port))
