import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { retries } from '#streams/retry.ts'
import { serverGone } from './child.ts'

/** A port of the loopback interface that is free now: the preferred one if possible. */
export async function freePort(preferred = 0): Promise<number> {
  return (await listens(preferred)) ?? (await listens(0)) ?? Promise.reject(new Error('no free port on 127.0.0.1'))
}

/** Where a folder's server keeps its pid. */
export const pidFileOf = (folder: string): string => path.join(folder, 'pid')

/**
 * Starts something on a port that the folder remembers, so that an address given to an analyst stays good over restarts:
 * a server of the folder that is still going down is waited for, it holds that port. Another process may take the port
 * between our look and the start: then another port is tried.
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
