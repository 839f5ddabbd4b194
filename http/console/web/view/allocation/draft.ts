/** A rule as it is being written: what the simple forms hold, and the spec that comes of it. Pure. */
import { numberOf } from '../../figure.ts'
import { tagPrefix, type AllocationSpec, type RuleCondition, type SharedSpec, percentsOf } from './rule-text.ts'

export type AllocationMode = 'tag-names' | 'tag' | 'account' | 'spec'

export interface AllocationDraft {
  mode: AllocationMode
  name: string
  enabled: boolean
  priority: string
  key: string
  /** `value = Team`, one a line. */
  aliases: string
  create: boolean
  /** Of the tag, one a line. */
  values: string
  accounts: readonly string[]
  team: string
  /** The spec as JSON, for what the forms do not say. */
  text: string
}

export const allocationEmpty: AllocationDraft = {
  mode: 'tag-names',
  name: '',
  enabled: true,
  priority: '100',
  key: '',
  aliases: '',
  create: false,
  values: '',
  accounts: [],
  team: '',
  text: '',
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The last `=` divides, for a value may hold one. */
export function aliasesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    lines(text).map((line) => {
      const at = line.lastIndexOf('=')
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

const aliasesText = (aliases: Readonly<Record<string, string>> = {}): string =>
  Object.entries(aliases)
    .map(([value, team]) => `${value} = ${team}`)
    .join('\n')

/** @throws SyntaxError for text that is no JSON */
export function allocationSpecOf(draft: AllocationDraft): unknown {
  if (draft.mode === 'spec') return JSON.parse(draft.text) as unknown
  const priority = numberOf(draft.priority)
  if (draft.mode === 'tag-names') {
    const aliases = aliasesOf(draft.aliases)
    return {
      priority,
      teamFromTag: {
        key: draft.key,
        ...(Object.keys(aliases).length > 0 && { aliases }),
        ...(draft.create && { create: true }),
      },
    }
  }
  const condition: RuleCondition =
    draft.mode === 'tag' ? tagCondition(draft) : { attr: 'res.cloud_account_id', op: 'in', values: draft.accounts }
  return { priority, selector: { all: [condition] }, team: draft.team }
}

const tagCondition = ({ key, values }: AllocationDraft): RuleCondition => {
  const given = lines(values)
  return { attr: `${tagPrefix}${key}`, ...(given.length > 0 ? { op: 'in', values: given } : { op: 'exists' }) }
}

interface SavedRule {
  name: string
  enabled: boolean
  spec: unknown
}

/** A rule in the simplest form that says all of it. */
export function allocationDraft({ name, enabled, spec: given }: SavedRule): AllocationDraft {
  const spec = given as AllocationSpec
  const draft = {
    ...allocationEmpty,
    name,
    enabled,
    priority: String(spec.priority),
    text: JSON.stringify(spec, undefined, 2),
  }
  const [condition, ...others] = spec.selector?.all ?? []
  if (spec.teamFromTag && !condition) {
    const { key, aliases, create = false } = spec.teamFromTag
    return { ...draft, mode: 'tag-names', key, aliases: aliasesText(aliases), create }
  }
  const isOneTeam = spec.team !== undefined && condition !== undefined && others.length === 0
  return { ...draft, ...(isOneTeam ? { team: spec.team!, ...simple(condition) } : { mode: 'spec' as const }) }
}

const isOneOf = ({ op }: RuleCondition): boolean => op === 'in' || op === 'equals'
/** The key of a condition about a tag that the forms can say. */
const tagOf = (condition: RuleCondition): string | undefined =>
  condition.attr.startsWith(tagPrefix) && (isOneOf(condition) || condition.op === 'exists')
    ? condition.attr.slice(tagPrefix.length)
    : undefined

function simple(condition: RuleCondition): Partial<AllocationDraft> {
  const { attr, values = [] } = condition
  const key = tagOf(condition)
  if (key !== undefined) return { mode: 'tag', key, values: values.join('\n') }
  return attr === 'res.cloud_account_id' && isOneOf(condition)
    ? { mode: 'account', accounts: values }
    : { mode: 'spec' }
}

export type SharedMode = 'service' | 'category' | 'account' | 'tag' | 'spec'

export interface SharedDraft {
  mode: SharedMode
  name: string
  enabled: boolean
  /** Of the service, the charge category or the tag, one a line. */
  values: string
  key: string
  accounts: readonly string[]
  method: 'even' | 'proportional' | 'fixed'
  /** Empty: all. */
  among: readonly string[]
  /** Percents by team, as they were typed. */
  percents: Readonly<Record<string, string>>
  text: string
}

export const sharedEmpty: SharedDraft = {
  mode: 'service',
  name: '',
  enabled: true,
  values: '',
  key: '',
  accounts: [],
  method: 'proportional',
  among: [],
  percents: {},
  text: '',
}

const sharedAttrs = {
  service: 'line.service',
  category: 'line.charge_category',
  account: 'line.cloud_account_id',
} as const

/** @throws SyntaxError for text that is no JSON */
export function sharedSpecOf(draft: SharedDraft): unknown {
  if (draft.mode === 'spec') return JSON.parse(draft.text) as unknown
  const values = draft.mode === 'account' ? draft.accounts : lines(draft.values)
  const attr = draft.mode === 'tag' ? `${tagPrefix}${draft.key}` : sharedAttrs[draft.mode]
  const condition = draft.mode === 'tag' && values.length === 0 ? { attr, op: 'exists' } : { attr, op: 'in', values }
  const fixed = Object.fromEntries(
    Object.entries(draft.percents)
      .filter(([, text]) => text.trim() !== '')
      .map(([id, text]) => [id, numberOf(text)]),
  )
  return {
    selector: { all: [condition] },
    method: draft.method,
    ...(draft.method === 'fixed' ? { fixed } : { among: draft.among.length > 0 ? draft.among : 'all' }),
  }
}

export function sharedDraft({ name, enabled, spec: given }: SavedRule): SharedDraft {
  const spec = given as SharedSpec
  const [condition, ...others] = spec.selector.all
  // What the form does not say would be lost.
  const isSimple = condition !== undefined && others.length === 0 && spec.cost === undefined
  return {
    ...sharedEmpty,
    name,
    enabled,
    ...handedOut(spec),
    text: JSON.stringify(spec, undefined, 2),
    ...(isSimple ? selecting(condition) : { mode: 'spec' }),
  }
}

function handedOut(spec: SharedSpec): Pick<SharedDraft, 'method' | 'among' | 'percents'> {
  const percents = percentsOf(spec)
  return {
    method: percents ? 'fixed' : spec.method === 'even' ? 'even' : 'proportional',
    among: Array.isArray(spec.among) ? spec.among : [],
    percents: Object.fromEntries(Object.entries(percents ?? {}).map(([id, percent]) => [id, String(percent)])),
  }
}

function selecting(condition: RuleCondition): Partial<SharedDraft> {
  const { attr, values = [] } = condition
  const key = tagOf(condition)
  if (key !== undefined) return { mode: 'tag', key, values: values.join('\n') }
  const mode = (Object.keys(sharedAttrs) as (keyof typeof sharedAttrs)[]).find((one) => sharedAttrs[one] === attr)
  if (!mode || !isOneOf(condition)) return { mode: 'spec' }
  return mode === 'account' ? { mode, accounts: values } : { mode, values: values.join('\n') }
}
