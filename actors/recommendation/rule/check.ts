/** Checks that everything rules name exists. Reports all errors of all rules together. */
import { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'
import { kubernetesKind, resourceTypes, typeOf } from '#streams/cloud/resource/resource-type.ts'
import { isTerminal } from './evaluate.ts'
import { operators } from './condition.ts'
import type { Expr, Rule } from './contract.ts'
import { functions } from './expression.ts'
import type { WrittenRule } from './needs.ts'
import { RuleShape } from './schema.ts'
import { filterNames } from './text.ts'
import { pathError } from './vocabulary.ts'

const decode = decoder(RuleShape)

/** @throws Error with every invalid rule by id, and its errors */
export function checkedRules(written: readonly unknown[]): WrittenRule[] {
  const errors = written.flatMap((rule) => ruleErrors(rule).map((error) => `${idOf(rule)} ${error}`))
  const ids = written.map(idOf)
  const twice = ids.filter((id, n) => ids.indexOf(id) !== n).map((id) => `${id} is defined twice`)
  const alternatives = (written as WrittenRule[]).flatMap(({ id, alternativeTo: to }) =>
    to === undefined || ids.includes(to) ? [] : [`${id} /alternativeTo: no rule has the ID ${to}`],
  )
  const all = [...errors, ...twice, ...alternatives]
  if (all.length > 0) throw new Error(`Invalid rules: ${all.join('; ')}`)
  return written as WrittenRule[]
}

/** Ids of rules outside of the catalogue, for trying them. */
const triedId = /^RC-9\d{3}$/

/** Errors of a rule that people try: JSON pointer and message. */
export function triedErrors(written: unknown): { path: string; message: string }[] {
  const { id, alternativeTo } = (written ?? {}) as { id?: unknown; alternativeTo?: unknown }
  if (typeof id !== 'string' || !triedId.test(id))
    return [{ path: '/id', message: 'must be RC-9 followed by three digits' }]
  if (alternativeTo !== undefined) return [{ path: '/alternativeTo', message: 'is not allowed here' }]
  // The catalogue has no such ids; everything else is checked as for its rules.
  return ruleErrors({ ...(written as object), id: 'RC-1000' }).map((error) => {
    const [path = '', ...message] = error.split(': ')
    return { path: path === '/' ? '' : path, message: message.join(': ') }
  })
}

function idOf(rule: unknown): string {
  const { id } = (rule ?? {}) as { id?: unknown }
  return typeof id === 'string' ? id : 'a rule without an ID'
}

/** Errors of one rule, each with its place. */
function ruleErrors(written: unknown): string[] {
  try {
    decode(written)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return (error.detail.problems ?? []).map(({ path, message }) => `${path || '/'}: ${message}`)
  }
  return new Checker(written as WrittenRule).errors()
}

/** The types that a rule names, with `aws-*` expanded. */
export const typesOf = ({ applies }: Pick<Rule, 'applies'>): string[] =>
  applies.types.flatMap((name) =>
    name.endsWith('-*')
      ? resourceTypes
          .filter(({ type, provider }) => name === `${provider}-*` && kubernetesKind(type) === undefined)
          .map(({ type }) => type)
      : [name],
  )

/** Walks one rule and collects its errors. */
class Checker {
  #errors: string[] = []
  readonly #rule: WrittenRule
  readonly #types: readonly string[]

  constructor(rule: WrittenRule) {
    this.#rule = rule
    this.#types = typesOf(rule)
  }

  errors(): string[] {
    const { applies, when, target, saving, evidence } = this.#rule
    for (const type of this.#types) if (!typeOf(type)) this.#say('/applies/types', `unknown resource type ${type}`)
    if (this.#types.length === 0) this.#say('/applies/types', 'no resource type remains')
    if (typeof applies.forDays === 'string') this.#operand('/applies/forDays', applies.forDays)
    for (const [name, expr] of Object.entries(this.#rule.let ?? {})) this.#derived(name, expr)
    this.#condition('/when', when)
    for (const part of ['spec', 'need']) this.#values(`/target/${part}`, target[part])
    for (const part of ['key', 'amount', 'keys']) this.#maybe(`/target/${part}`, target[part])
    const amounts = ['of', 'value', 'quantity', 'plus', 'have', 'need', 'hoursOn', 'base']
    for (const part of amounts) this.#maybe(`/saving/${part}`, saving[part])
    for (const [n, path] of evidence.entries()) this.#path(`/evidence/${n}`, path)
    this.#texts()
    this.#action()
    return this.#errors
  }

  #say(at: string, what: string): void {
    this.#errors.push(`${at}: ${what}`)
  }

  /** A derived value may only read those before it, so none can read itself. */
  #derived(name: string, expr: Expr): void {
    const names = Object.keys(this.#rule.let ?? {})
    const later = names.slice(names.indexOf(name)).find((one) => JSON.stringify(expr).includes(`"@let.${one}"`))
    if (later !== undefined) this.#say(`/let/${name}`, `uses let.${later}, which must be defined before it`)
    this.#expression(`/let/${name}`, expr)
  }

  #condition(at: string, condition: unknown): void {
    const { all, any, not, attr, op, values } = (condition ?? {}) as Record<string, unknown>
    for (const [name, parts] of Object.entries({ all, any })) {
      if (parts === undefined) continue
      if (!Array.isArray(parts) || parts.length === 0) this.#say(`${at}/${name}`, 'must be a list of conditions')
      else for (const [n, part] of parts.entries()) this.#condition(`${at}/${name}/${n}`, part)
    }
    if (not !== undefined) this.#condition(`${at}/not`, not)
    if (all !== undefined || any !== undefined || not !== undefined) return
    this.#path(`${at}/attr`, String(attr))
    this.#leaf(at, String(op), values)
  }

  #leaf(at: string, op: string, values: unknown): void {
    if (!Object.hasOwn(operators, op)) this.#say(`${at}/op`, `unknown operator ${op}`)
    if (!Array.isArray(values)) return this.#say(`${at}/values`, 'must be a list')
    const wanted = operators[op]
    if (wanted === undefined ? values.length === 0 : values.length !== wanted)
      this.#say(`${at}/values`, `${op} takes ${wanted ?? 'one or more'} values`)
    for (const [n, value] of values.entries()) this.#operand(`${at}/values/${n}`, value)
  }

  #maybe(at: string, value: unknown): void {
    if (value !== undefined) this.#expression(at, value)
  }

  #values(at: string, values: unknown): void {
    for (const [name, value] of Object.entries(values ?? {})) this.#expression(`${at}/${name}`, value)
  }

  #expression(at: string, expr: unknown): void {
    if (!Array.isArray(expr)) return this.#operand(at, expr)
    const [name, ...parts] = expr as unknown[]
    const known = typeof name === 'string' && Object.hasOwn(functions, name) ? functions[name] : undefined
    if (!known) return this.#say(at, `unknown function ${String(name)}`)
    if (known.arity === undefined ? parts.length < 2 : parts.length !== known.arity)
      this.#say(at, `${String(name)} takes ${known.arity ?? 'two or more'} arguments`)
    for (const [n, part] of parts.entries()) this.#expression(`${at}/${n + 1}`, part)
  }

  #operand(at: string, value: unknown): void {
    if (typeof value === 'number' || typeof value === 'boolean') return
    if (typeof value !== 'string') return this.#say(at, 'must be a number, a string, true or false')
    if (value.startsWith('$') && !Object.hasOwn(this.#rule.params, value.slice(1)))
      this.#say(at, `unknown parameter ${value.slice(1)}`)
    if (value.startsWith('@')) this.#path(at, value.slice(1))
  }

  #path(at: string, path: string): void {
    const derived = path.startsWith('let.') && Object.hasOwn(this.#rule.let ?? {}, path.slice(4))
    const error = derived ? undefined : pathError(path, this.#types)
    if (error !== undefined) this.#say(at, error)
  }

  #texts(): void {
    for (const part of ['title', 'from', 'to', 'description', 'remediation'] as const)
      for (const [all, key = '', filter] of this.#rule[part].matchAll(/\{([^{}|]+)(?:\|([a-z0-9]+))?\}/g)) {
        const at = `/${part}: ${all}`
        if (filter !== undefined && !filterNames.includes(filter)) this.#say(at, 'unknown filter')
        this.#placeholder(at, key)
        if (part === 'title') this.#ofTitle(at, key)
        if (/^(?:from|to)$/.test(part) && /^(?:from|to)$/.test(key)) this.#say(at, 'refers to itself')
      }
  }

  #placeholder(at: string, key: string): void {
    if (key.startsWith('p.')) this.#operand(at, `$${key.slice(2)}`)
    else if (!key.includes('.')) {
      if (!words.includes(key)) this.#say(at, 'unknown placeholder')
    } else if (!key.startsWith('target.')) this.#path(at, key)
  }

  /** A title must not contain values that may be unknown, except in `from` and `to`. */
  #ofTitle(at: string, key: string): void {
    if (key.includes('.') && !key.startsWith('p.')) this.#say(at, 'can only be used in from or to')
  }

  /** Ending something requires an approval, and so does every delete. */
  #action(): void {
    const { action, target } = this.#rule
    const needsApproval = isTerminal(this.#rule as Rule) || action.type === 'delete' || action.effect === 'restart'
    if (needsApproval && !action.destructive) this.#say('/action/destructive', `${action.effect} needs approval`)
    if (target.kind === 'delete' && !['delete', 'configure'].includes(action.type))
      this.#say('/action/type', 'must be delete or configure, because the target is a deletion')
  }
}

const words = ['name', 'region', 'window', 'from', 'to']
