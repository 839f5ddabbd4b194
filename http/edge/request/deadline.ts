/**
 * Cuts off who sends a body too slowly. A request has so long for all of it; one whose handler reads a long body piece by piece
 * has that long for each piece, and the clock stands while nobody reads.
 */
import type { IncomingMessage } from 'node:http'

/** Milliseconds for a whole body, or for a piece of it. */
export const bodyMs = 30_000
/** A piece, bytes: less of it in its time is too slow. */
const pieceBytes = 256 * 1024

const running = new WeakMap<IncomingMessage, Deadline>()

/** Calls `late` unless the body is there in `ms`. Nothing is to be waited for where there is none. */
export function watchBody(request: IncomingMessage, ms: number, late: () => void): void {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
  const deadline = new Deadline(ms, () => {
    if (!request.complete) late()
  })
  running.set(request, deadline)
  const end = () => {
    deadline.stop()
    running.delete(request)
  }
  request.once('end', end).once('close', end)
}

class Deadline {
  private readonly ms: number
  private readonly late: () => void
  private left: number
  private since = 0
  private timer: NodeJS.Timeout | undefined

  constructor(ms: number, late: () => void) {
    this.ms = ms
    this.late = late
    this.left = ms
    this.go()
  }

  go(): void {
    if (this.timer) return
    this.since = performance.now()
    this.timer = setTimeout(this.late, this.left)
  }

  stop(): void {
    if (!this.timer) return
    clearTimeout(this.timer)
    this.timer = undefined
    this.left -= performance.now() - this.since
  }

  renew(): void {
    this.left = this.ms
  }
}

/** A body that may take as long as it keeps coming. What is left of it when nobody reads on has the time of a piece. */
export async function* inPieces(request: IncomingMessage): AsyncGenerator<Buffer, void> {
  const deadline = running.get(request)
  let bytes = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      deadline?.stop()
      bytes += chunk.length
      if (bytes >= pieceBytes) {
        deadline?.renew()
        bytes = 0
      }
      yield chunk
      deadline?.go()
    }
  } finally {
    deadline?.renew()
    if (!request.complete) deadline?.go()
  }
}
