/** The product as an operator meets it: its command line in processes of their own, on a throw-away data folder. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '#config/process/root.ts'

export interface Box {
  /** Runs a command to its end; what it prints with `--json`, and its exit code. @throws Error with what it said when that is 1 or 2 */
  run<T>(...args: string[]): Promise<T & { code: number }>
  /** Starts the product, and resolves to its address once it serves. */
  start(): Promise<string>
  close(): Promise<void>
}

/** A data folder of its own, empty and without the demo. */
export function box(): Box {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-command-'))
  const settings = { TIDEMARK_DATA_DIR: folder, TIDEMARK_DEMO: '0', PORT: '0', LOG_LEVEL: 'error', TIDEMARK_LANES: '4' }
  const launch = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [path.join(root, 'config', 'run.mjs'), ...args, '--json'], {
      cwd: folder,
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  let running: ChildProcess | undefined
  return {
    async run<T>(...args: string[]) {
      const child = launch(args)
      const [out, said] = [gathered(child.stdout!), gathered(child.stderr!)]
      const [code] = (await once(child, 'close')) as [number | null]
      if (code === null || code === 1 || code === 2)
        throw new Error(`tidemark ${args.join(' ')} ended with ${code}: ${said()}${out()}`)
      return { ...(JSON.parse(out()) as T), code }
    },
    async start() {
      running = launch(['start'])
      const said = gathered(running.stderr!)
      for await (const line of createInterface(running.stdout!)) return (JSON.parse(line) as { url: string }).url
      throw new Error(`The product did not start: ${said()}`)
    },
    async close() {
      if (running?.exitCode === null) {
        running.kill('SIGTERM')
        await once(running, 'exit')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function gathered(stream: NodeJS.ReadableStream): () => string {
  const parts: string[] = []
  stream.on('data', (part: Buffer) => parts.push(part.toString()))
  return () => parts.join('')
}
