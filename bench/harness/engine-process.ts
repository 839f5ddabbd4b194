/** The product as a process of its own on the stores of a stage: what is measured is what runs in production. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { root } from '#config/process/root.ts'
import type { Stage } from './stage.ts'

export interface EngineProcess {
  pid: number
  /** When it was started, by `performance.now()`. */
  since: number
  /** What V8 held a second ago at most; undefined in the first second. */
  memory(): NodeJS.MemoryUsage | undefined
  /** False once it has ended. */
  isAlive(): boolean
  /** Sends the signal and waits until it has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Starts an engine; resolves as soon as it runs lanes. It ends with this process, however that ends. */
export async function startEngine(stage: Stage, env: Readonly<Record<string, string>> = {}): Promise<EngineProcess> {
  const started = { TIDEMARK_ROLE: 'engine', ...onStage(stage), ...env }
  return startProduct(started, 'Running the engine')
}

/** Starts the product with these settings; resolves once it has said `ready` on stderr. */
export async function startProduct(env: Readonly<Record<string, string>>, ready: string): Promise<EngineProcess> {
  const always = { LOG_LEVEL: 'error', TIDEMARK_DEMO: '0', CREDENTIALS_KEY: Buffer.alloc(32).toString('base64') }
  const teller = path.join(import.meta.dirname, 'tell-memory.ts')
  const args = ['--disable-warning=ExperimentalWarning', '--import', teller, path.join(root, 'config/main.ts'), 'start']
  const since = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...always, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let memory: NodeJS.MemoryUsage | undefined
  child.on('message', (told) => (memory = told as NodeJS.MemoryUsage))
  await said(child, ready)
  child.stderr!.on('data', (text: Buffer) => /^Stopped\.\n$/.test(text.toString()) || process.stderr.write(text))
  let isAsked = false
  child.once('exit', (code, signal) => {
    if (!isAsked) process.stderr.write(`the process ended by itself: ${signal ?? code}\n`)
  })
  return {
    pid: child.pid!,
    since,
    memory: () => memory,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async end(signal) {
      isAsked = true
      const exit = once(child, 'exit')
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await exit
    },
  }
}

/** @throws Error with what the process printed, when it ends instead */
async function said(child: ChildProcess, ready: string): Promise<void> {
  let printed = ''
  const exit = once(child, 'exit')
  while (!printed.includes(ready)) {
    const [text] = (await Promise.race([once(child.stderr!, 'data'), exit])) as [Buffer | number]
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}: ${printed}`)
    printed += String(text)
  }
}

function onStage({ stores, settings }: Stage): Record<string, string> {
  const { url, database, embedded } = stores.clickhouse
  return {
    TIDEMARK_DATA_DIR: mkdtempSync(path.join(settings.dataDir, 'engine-')),
    TIDEMARK_LANES: String(settings.lanes),
    CLOUD_DRIVER: 'simulated',
    POSTGRES_URL: stores.postgres.url,
    NATS_URL: stores.nats.url,
    CLICKHOUSE_URL: embedded ? `${url}/${database}` : url,
  }
}
