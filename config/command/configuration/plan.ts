/** What must be created, changed or deleted so that an organization is as its configuration files say. */
import type { Api } from '#config/command/line/api.ts'
import { UsageError } from '#config/command/line/command.ts'
import { checkBody } from '#config/command/line/route.ts'
import { differences, type Difference } from './compare.ts'
import type { Document } from './document.ts'
import { allKinds, existing, paramsOf, settingsKind, textOf, type Kind, type Members } from './kind.ts'
import { References, withReferences } from './reference.ts'

export interface Change {
  what: 'create' | 'change' | 'delete'
  kind: string
  /** The values of its key. */
  name: string
  /** Only of a change. */
  differences?: Difference[]
}

interface Step extends Change {
  of: Kind
  body: Members
  item?: Members
}

interface PlanOptions {
  /** Also delete what no file describes, of the kinds that files describe. */
  isPruning: boolean
}

/** Plans against one organization. */
export class Configuration {
  readonly #api: Api
  readonly #documents: readonly Document[]
  readonly #references: References

  constructor(api: Api, documents: readonly Document[]) {
    this.#api = api
    this.#documents = documents
    this.#references = new References(
      api,
      documents.map(({ kind, given }) => `${kind.name}:${keyOf(kind, given)}`),
    )
  }

  /** All changes in the order in which they are made: deletions last, dependent kinds first. @throws as `checkStep`, UsageError for two documents or two things of one name */
  async plan({ isPruning }: PlanOptions): Promise<Step[]> {
    const steps: Step[] = []
    for (const kind of allKinds) steps.push(...(await this.#steps(kind, isPruning)))
    const isDeletion = ({ what }: Step): boolean => what === 'delete'
    return [...steps.filter((step) => !isDeletion(step)), ...steps.filter(isDeletion).toReversed()]
  }

  /**
   * Makes the changes, one kind after the other, and reports each when it is made. Running it again continues after a
   * failure.
   */
  async apply({ isPruning }: PlanOptions, made: (change: Change) => void): Promise<void> {
    for (const kind of allKinds) {
      // Only now do the IDs of what was created before exist.
      for (const step of await this.#steps(kind, false)) {
        await this.#make(step)
        made(step)
      }
      this.#references.forget(kind.name)
    }
    if (!isPruning) return
    const deletions = (await this.plan({ isPruning })).filter(({ what }) => what === 'delete')
    for (const step of deletions) {
      await this.#make(step)
      made(step)
    }
  }

  async #steps(kind: Kind, isPruning: boolean): Promise<Step[]> {
    const documents = this.#documents.filter((one) => one.kind === kind)
    if (documents.length === 0) return []
    const items = Map.groupBy(await existing(this.#api, kind), (item) => keyOf(kind, item))
    const described = new Map<string, string>()
    const steps: Step[] = []
    for (const { given, at } of documents) {
      const body = { ...kind.usual, ...((await this.#references.resolve(given, at)) as Members) }
      const key = keyOf(kind, body)
      const before = described.get(key)
      if (before !== undefined) throw new UsageError(`${at} and ${before} describe the same ${kind.name}.`)
      described.set(key, at)
      const [item, other] = items.get(key) ?? []
      // Names of some kinds need not be unique.
      if (other)
        throw new UsageError(`${at}: there are several of the ${kind.name} ${nameOf(kind, given)}. Rename all but one.`)
      for (const step of stepsOf(kind, { given, body }, item)) {
        await checkStep(step, at)
        steps.push(step)
      }
    }
    const extra = isPruning && kind !== settingsKind ? [...items].filter(([key]) => !described.has(key)) : []
    const byId = extra.length > 0 ? await this.#references.byId() : new Map<string, string>()
    const deletions = extra
      .flatMap(([, same]) => same)
      .map((item): Step => {
        const name = nameOf(kind, withReferences(item, byId) as Members)
        return { what: 'delete', kind: kind.name, name, of: kind, body: {}, item }
      })
    return [...steps, ...deletions]
  }

  async #make({ what, of, body, item }: Step): Promise<void> {
    if (what === 'create') return void (await this.#api.ask(`POST ${of.path}`, { body }))
    const params = await paramsOf(this.#api, of, item!)
    const route = what === 'delete' ? `DELETE ${of.change.split(' ')[1]!}` : of.change
    await this.#api.ask(route, { params, ...(what === 'change' && { body }) })
  }
}

/** @throws Error naming the file, with what the route would refuse, before anything is changed */
async function checkStep({ what, of, body }: Step, at: string): Promise<void> {
  try {
    await checkBody(what === 'create' ? `POST ${of.path}` : of.change, body)
  } catch (error) {
    ;(error as Error).message = `${at}: ${(error as Error).message}`
    throw error
  }
}

/** Nothing, if what exists is as the file says. */
function stepsOf(kind: Kind, { given, body }: { given: Members; body: Members }, item: Members | undefined): Step[] {
  const step = { kind: kind.name, name: nameOf(kind, given), of: kind, body }
  if (item === undefined) return [{ ...step, what: 'create' }]
  const found = differences(kind, body, item)
  return found.length === 0 ? [] : [{ ...step, what: 'change', item, differences: found }]
}

const identityOf = ({ key, identity }: Kind, members: Members): readonly string[] =>
  identity?.(members) ?? key.map((name) => textOf(members[name]))

const keyOf = (kind: Kind, members: Members): string => identityOf(kind, members).join('\n').toLowerCase()

/** References are shown by the name they contain. */
const nameOf = (kind: Kind, members: Members): string =>
  identityOf(kind, members)
    .map((part) => part.replace(/^\$\{[a-z-]+:(.+)\}$/, '$1'))
    .filter((text) => text !== '')
    .join(' / ')

/** As files say it: `kind`, key and fields, with references in place of IDs. */
export async function describeKind(api: Api, kind: Kind): Promise<Members[]> {
  const items = await existing(api, kind)
  const byId = items.length > 0 ? await new References(api).byId() : new Map<string, string>()
  const { inFile = (item) => item } = kind
  return items.map(inFile).map((item) => {
    const entries = [...kind.key, ...kind.fields].flatMap((name) => {
      const value = withReferences(item[name], byId)
      return isEmpty(value) ? [] : [[name, value] as const]
    })
    return { kind: kind.name, ...Object.fromEntries(entries) }
  })
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
