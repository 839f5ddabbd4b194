/** HTTP as no client would write it: bytes on a socket, and what comes back until it closes. */
import { connect } from 'node:net'

/** Milliseconds until a server that neither answers nor hangs up has failed. */
const silentMs = 15_000

export interface RawAnswer {
  /** Of every answer on the connection, in order. */
  statuses: number[]
  text: string
}

/** Sends the pieces one after the other and reads to the end of the connection. @throws Error when it stays open */
export function raw(url: string, ...pieces: (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    const done = () => {
      const text = Buffer.concat(chunks).toString('latin1')
      resolve({ statuses: [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status)), text })
    }
    socket.setTimeout(silentMs, () => socket.destroy(new Error(`the connection stayed open: ${String(chunks)}`)))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? done() : reject(error),
    )
    socket.on('close', done)
    for (const piece of pieces) socket.write(piece)
    socket.end()
  })
}
