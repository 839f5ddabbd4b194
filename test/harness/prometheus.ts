/** A real Prometheus with samples of a test, and a door in front of it that says what time it is there. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSocket, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { supervise } from '#config/embedded/child.ts'

const here = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file))

/** A suite with Prometheus. Without one it is skipped with one line, and fails where CI runs it. */
export function describePrometheus(title: string, fn: () => void): void {
  if (here('prometheus') && here('promtool')) {
    describe(title, fn)
    return
  }
  const why = 'prometheus: SKIPPED, no prometheus here (apt-get install prometheus)'
  describe(title, () => {
    if (process.env['CI']) it('needs prometheus', () => Promise.reject(new Error(why)))
    else it.skip(why)
  })
}

export interface RealPrometheus {
  url: string
  close: () => Promise<void>
}

/** `text`: OpenMetrics, with times in seconds. */
export async function realPrometheus(text: string): Promise<RealPrometheus> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-prometheus-'))
  const data = path.join(folder, 'data')
  mkdirSync(data)
  writeFileSync(path.join(folder, 'samples'), text)
  writeFileSync(path.join(folder, 'prometheus.yml'), '')
  const made = ['tsdb', 'create-blocks-from', 'openmetrics', path.join(folder, 'samples'), data]
  await promisify(execFile)(here('promtool')!, made, { maxBuffer: 64 * 1024 * 1024 })
  const address = `127.0.0.1:${await freePort()}`
  const server = await supervise({
    name: 'prometheus',
    command: [
      here('prometheus')!,
      `--config.file=${path.join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=${address}`,
      '--storage.tsdb.retention.time=100y',
    ],
    cwd: folder,
    ready: /ready to receive web requests/,
    pidFile: path.join(folder, 'prometheus.pid'),
    log: () => {},
  })
  const close = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: `http://${address}`, close }
}

async function freePort(): Promise<number> {
  const socket = createSocket()
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  await new Promise((resolve) => socket.close(resolve))
  return port
}

export interface Door {
  url: string
  /** `<METHOD> <path>` of everything that was asked. */
  asked: string[]
  /** Of the newest request. */
  headers: IncomingMessage['headers']
  /** Answers in the stead of the server, with a status and its body; undefined: it is asked. */
  instead: (asked: string, query: URLSearchParams) => { status: number; body: string } | undefined
  close: () => void
}

/** In front of a server, where it is `now` for as long as a test lasts. */
export async function doorTo(server: RealPrometheus, now: string): Promise<Door> {
  const door: Door = { url: '', asked: [], headers: {}, instead: () => undefined, close: () => {} }
  const time = Date.parse(now) / 1000
  const clock = { status: 'success', data: { resultType: 'scalar', result: [time, String(time)] } }
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(incoming.url!, server.url)
    const asked = `${incoming.method} ${pathname}`
    door.asked.push(asked)
    door.headers = incoming.headers
    const own = pathname === '/api/v1/query' ? { status: 200, body: JSON.stringify(clock) } : undefined
    const instead = door.instead(asked, searchParams) ?? own
    if (instead) {
      response.writeHead(instead.status).end(instead.body)
      return
    }
    const { method, headers } = incoming
    const onwards = request(`${server.url}${incoming.url}`, { method: method!, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(onwards)
  }
  const front = createServer(listener)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  door.url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  door.close = () => {
    front.closeAllConnections()
    front.close()
  }
  return door
}
