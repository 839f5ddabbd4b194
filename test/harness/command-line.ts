/**
 * The command line within this process: a process of its own loads all of the product first, which takes longer than most commands.
 * `installation` and the tests of kills start processes as people do.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { runCommandLine } from '#config/command/line/run-command-line.ts'

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** What is written on behalf of a command goes to its own. */
const running = new AsyncLocalStorage<{ stdout: string; stderr: string }>()
for (const name of ['stdout', 'stderr'] as const) {
  const write = process[name].write.bind(process[name])
  process[name].write = ((...given: Parameters<typeof write>) => {
    const told = running.getStore()
    if (!told) return write(...given)
    told[name] += String(given[0])
    return true
  }) as typeof write
}

/**
 * Commands on the same stores share one mapper: each would look at all entities again, which takes most of what a command does here. It is
 * closed by none of them: its connections are closed once they have been idle for a while.
 */
const mappers = new Map<string, Promise<MikroORM>>()
const init = MikroORM.init.bind(MikroORM)
MikroORM.init = (async (options: Options) => {
  if (!running.getStore()) return init(options)
  const at = String(options.clientUrl)
  const mapper = mappers.get(at) ?? init(options).then((orm) => Object.assign(orm, { close: async () => {} }))
  mappers.set(at, mapper as Promise<MikroORM>)
  return mapper
}) as typeof MikroORM.init

/** Runs a command in the environment `env` and no other. Commands of another environment wait for one another. */
export async function inProcess(env: Readonly<Record<string, string | undefined>>, ...args: string[]): Promise<Ended> {
  const told = { stdout: '', stderr: '' }
  const leave = await enter(env)
  try {
    const [first = 'help', ...rest] = args
    const code = await running.run(told, () => runCommandLine(first, rest))
    return { code, ...told }
  } finally {
    leave()
  }
}

let left: Record<string, string | undefined> | undefined
let current = ''
let users = 0
let waiting: (() => void)[] = []

async function enter(env: Readonly<Record<string, string | undefined>>): Promise<() => void> {
  const wanted = JSON.stringify(env)
  while (users > 0 && current !== wanted) await new Promise<void>((resolve) => waiting.push(resolve))
  if (users++ === 0) {
    current = wanted
    left = { ...process.env }
    replaced(env)
  }
  return () => {
    if (--users > 0) return
    replaced(left!)
    for (const wake of waiting.splice(0)) wake()
  }
}

function replaced(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value
}
