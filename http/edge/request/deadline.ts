/**
 * Disconnects clients that send a body too slowly. A request has a fixed time for its whole body. If the handler reads
 * a long body piece by piece, that time applies to each piece, and pauses while the handler is not reading.
 */
import type { IncomingMessage } from 'node:http'

/** Milliseconds for a whole body, or for one piece of it. */
export const bodyMs = 30_000
/** Bytes of a piece: fewer in that time are too slow. */
const pieceBytes = 256 * 1024

const running = new WeakMap<IncomingMessage, Deadline>()

/** Calls `late` unless the body has arrived within `ms`. Does nothing for requests without a body. */
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

/**
 * A body that may take as long as it keeps arriving. If the handler stops reading, the rest has the time of one piece.
 */
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
