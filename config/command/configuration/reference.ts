/**
 * References in configuration files. `${team:Payments}` is the ID of the team with that name, and likewise
 * `${resource-group:NAME}`, `${channel:NAME}`, `${role:NAME}`, `${account:NAME}` and `${member:EMAIL}`; `${env:NAME}` within
 * a text is the value of an environment variable, for secrets.
 */
import { everyItem, type Api } from '#config/command/line/api.ts'
import { UsageError } from '#config/command/line/command.ts'
import { environmentVariable } from '#config/settings/variable.ts'
import { existing, kinds, type Members } from './kind.ts'

/** Where the IDs of a reference come from. */
interface Target {
  list: (api: Api) => Promise<readonly Members[]>
  id: string
  name: string
}

const named = ['team', 'resource-group', 'channel', 'role'] as const
const targets: ReadonlyMap<string, Target> = new Map<string, Target>([
  ...kinds
    .filter(({ name }) => named.some((one) => one === name))
    .map((kind): [string, Target] => [kind.name, { list: (api) => existing(api, kind), id: 'id', name: 'name' }]),
  ['member', { list: (api) => api.ask('GET /members'), id: 'userID', name: 'email' }],
  ['account', { list: (api) => everyItem(api, 'GET /cloud-accounts'), id: 'id', name: 'name' }],
])

/** The names and IDs that references stand for; what exists is read once per target. */
export class References {
  readonly #api: Api
  readonly #read = new Map<string, Promise<readonly Members[]>>()
  readonly #planned: ReadonlySet<string>

  /** `planned`: `team:payments` and so on for what the files create, in lower case. */
  constructor(api: Api, planned: Iterable<string> = []) {
    this.#api = api
    this.#planned = new Set(planned)
  }

  /** Forgets what exists, because it has changed. */
  forget(target: string): void {
    this.#read.delete(target)
  }

  /**
   * The value with all references replaced, in texts and in names of members.
   * @throws UsageError naming a reference to something that neither exists nor is in the files
   */
  async resolve(value: unknown, at: string): Promise<unknown> {
    if (typeof value === 'string') return this.#text(value, at)
    if (Array.isArray(value)) return Promise.all(value.map((one) => this.resolve(one, at)))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(async ([name, one]) => [
      await this.#text(name, at),
      await this.resolve(one, at),
    ])
    return Object.fromEntries((await Promise.all(entries)) as [string, unknown][])
  }

  /** Texts by the IDs they stand for: `${team:Payments}` by the ID of the team. */
  async byId(): Promise<Map<string, string>> {
    const all = [...targets].map(async ([word, { id, name }]) => {
      const named = Map.groupBy(await this.#items(word), (item) => String(item[name]).toLowerCase())
      const alone = [...named.values()].filter(({ length }) => length === 1).flat()
      return alone.map((item) => [String(item[id]), `\${${word}:${String(item[name])}}`] as const)
    })
    return new Map((await Promise.all(all)).flat())
  }

  async #text(text: string, at: string): Promise<string> {
    const [, word, name] = /^\$\{(?!env:)([a-z-]+):([^}]+)\}$/.exec(text) ?? []
    if (word === undefined) return withEnvironment(text, at)
    const target = targets.get(word)
    if (!target)
      throw new UsageError(
        `${at}: ${text} is not a reference. References: ${[...targets.keys(), 'env'].map((one) => `\${${one}:...}`).join(', ')}.`,
      )
    const wanted = name!.trim().toLowerCase()
    const items = await this.#items(word)
    const [found, other] = items.filter((item) => String(item[target.name]).toLowerCase() === wanted)
    if (other) throw new UsageError(`${at}: there are several with the name of ${text}. Use the ID instead.`)
    if (found) return String(found[target.id])
    if (this.#planned.has(`${word}:${wanted}`)) return text
    throw new UsageError(`${at}: ${text} names a ${word} that neither exists nor is in the files.`)
  }

  #items(word: string): Promise<readonly Members[]> {
    const read = this.#read.get(word) ?? targets.get(word)!.list(this.#api)
    this.#read.set(word, read)
    return read
  }
}

const withEnvironment = (text: string, at: string): string =>
  text.replaceAll(/\$\{env:(\w+)\}/g, (_whole, name: string) => {
    const value = environmentVariable(name)
    if (value === undefined) throw new UsageError(`${at}: the environment variable ${name} is not set.`)
    return value
  })

/** The value with IDs replaced by references. */
export function withReferences(value: unknown, byId: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return byId.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => withReferences(one, byId))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [byId.get(name) ?? name, withReferences(one, byId)]),
  )
}
