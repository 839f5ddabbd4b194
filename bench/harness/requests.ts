/**
 * A load generator in a process of its own: keep-alive connections that each send one request, wait for its whole answer
 * and send the next. It parses no more of an answer than its status and length, so that it is not what is measured.
 * With a `rate` requests are due at even times, and one that waits for a free connection has waited since it was due.
 */
import { connect, type Socket } from 'node:net'

export interface Shots {
  port: number
  /** Whole requests, sent in turn. */
  requests: string[]
  connections: number
  ms: number
  /** Requests a second; as many as there can be where it is left out. */
  rate?: number
}

export interface Hits {
  perSecond: number
  /** Milliseconds, of every request in the order of the answers. */
  latencies: number[]
  /** Answers of 300 and above. */
  refused: number
}

process.on('disconnect', () => process.exit(0))
process.on('message', (shots: Shots) => void shoot(shots).then((hits) => process.send!(hits)))

async function shoot({ port, requests, connections, ms, rate }: Shots): Promise<Hits> {
  const hits: Hits = { perSecond: 0, latencies: [], refused: 0 }
  const began = performance.now()
  let sent = 0
  /** When the next request is due; undefined when there is none left. */
  const next = (): number | undefined => {
    const due = rate === undefined ? performance.now() : began + (sent / rate) * 1000
    if (due >= began + ms) return undefined
    sent += 1
    return due
  }
  const one = async (): Promise<void> => {
    const line = await Line.open(port)
    for (let due = next(); due !== undefined; due = next()) {
      const early = due - performance.now()
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
      const status = await line.ask(requests[sent % requests.length]!)
      if (status >= 300) hits.refused += 1
      hits.latencies.push(performance.now() - due)
    }
    line.end()
  }
  await Promise.all(Array.from({ length: connections }, one))
  hits.perSecond = (hits.latencies.length / (performance.now() - began)) * 1000
  return hits
}

/** One connection with at most one request under way. */
class Line {
  private readonly socket: Socket
  private waiting: ((status: number) => void) | undefined
  private got = ''

  private constructor(socket: Socket) {
    this.socket = socket.setNoDelay(true).setEncoding('latin1')
    socket.on('data', (text: string) => this.take(text))
    socket.on('close', () => this.waiting?.(599))
  }

  static open(port: number): Promise<Line> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Line(socket)))
      socket.once('error', reject)
    })
  }

  ask(request: string): Promise<number> {
    return new Promise((resolve) => {
      this.waiting = resolve
      this.socket.write(request)
    })
  }

  end(): void {
    this.waiting = undefined
    this.socket.destroy()
  }

  private take(text: string): void {
    this.got += text
    const head = this.got.indexOf('\r\n\r\n')
    if (head === -1) return
    const length = Number(/^content-length: (\d+)/im.exec(this.got.slice(0, head))?.[1] ?? 0)
    if (this.got.length < head + 4 + length) return
    const status = Number(this.got.slice(9, 12))
    this.got = ''
    this.waiting?.(status)
  }
}
