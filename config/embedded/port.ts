import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { retries } from '#streams/retry.ts'
import { serverGone } from './child.ts'

/** A free port of the loopback interface: `preferred` if possible. */
export async function freePort(preferred = 0): Promise<number> {
  return (await listens(preferred)) ?? (await listens(0)) ?? Promise.reject(new Error('no free port on 127.0.0.1'))
}

/** File with the pid of a folder's server. */
export const pidFileOf = (folder: string): string => path.join(folder, 'pid')

/**
 * Starts something on the port stored in the folder, so that an address entered in a tool stays valid after restarts.
 * Waits for a server of the folder that is still stopping, because it holds the port. If another process takes the port
 * between the check and the start, another port is tried.
 */
export async function onKeptPort<T>(folder: string, start: (port: number) => Promise<T>): Promise<T> {
  const file = path.join(folder, 'port')
  await serverGone(pidFileOf(folder))
  for (let tries = 1; ; tries++) {
    const port = await freePort(tries === 1 && fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) || 0 : 0)
    fs.writeFileSync(file, String(port))
    try {
      return await start(port)
    } catch (error) {
      if (tries === retries.embeddedPort.tries || !/in use|EADDRINUSE|could not (bind|create any)/i.test(String(error)))
        throw error
    }
  }
}

function listens(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}
