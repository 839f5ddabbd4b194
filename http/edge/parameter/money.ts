/**
 * The parameter `money`: amounts of a response as exact decimal text. The one place that knows which members of a
 * schema are money: numbers, or decimals as text, with a name that ends in USD, and those that say `money` themselves.
 */
import { Fault } from '#engine/value/fault.ts'
import { t, type TObject } from '#engine/value/schema.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import type { Route } from '#http/edge/route.ts'
import { Reply } from '#http/store/reply.ts'
import { amountText, keepingDigits } from '#streams/figure.ts'

/** Where in a value there is money. */
export interface MoneyShape {
  isMoney?: boolean
  items?: MoneyShape
  members?: Readonly<Record<string, MoneyShape>>
  /** Of members with names of their own. */
  others?: MoneyShape
}

const moneyName = /(?:USD|Usd|^usd)(?:30d|PerDay)?$/

/** Undefined if a value of the schema contains no money. The parts of a member called money are money too. */
export function moneyIn(schema: Keywords | undefined, name = ''): MoneyShape | undefined {
  if (!schema) return undefined
  const { type, items, anyOf = schema.shapes, money = moneyName.test(name) } = schema
  if (anyOf) return anyOf.map((one) => moneyIn({ money, ...one }, name)).reduce(merged, undefined)
  if (type === 'number' || type === 'string') return money ? { isMoney: true } : undefined
  if (type !== 'array') return moneyInMembers(schema, name)
  const shape = items && moneyIn({ money, ...items }, name)
  return shape && { items: shape }
}

function moneyInMembers(schema: Keywords, name: string): MoneyShape | undefined {
  const { properties = {}, additionalProperties, patternProperties = {} } = schema
  const found = Object.entries(properties).map(
    ([member, one]) => [member, moneyIn(one, moneyName.test(name) ? name : member)] as const,
  )
  const members = Object.fromEntries(found.flatMap(([member, shape]) => (shape ? [[member, shape]] : [])))
  const open = [...Object.values(patternProperties), ...(isSchema(additionalProperties) ? [additionalProperties] : [])]
  const others = open.map((one) => moneyIn(one, name)).reduce(merged, undefined)
  return Object.keys(members).length > 0 || others ? { members, ...(others && { others }) } : undefined
}

const isSchema = (value: unknown): value is Keywords => typeof value === 'object' && value !== null

function merged(a: MoneyShape | undefined, b: MoneyShape | undefined): MoneyShape | undefined {
  if (!a || !b) return a ?? b
  const names = [...Object.keys(a.members ?? {}), ...Object.keys(b.members ?? {})]
  const [items, others] = [merged(a.items, b.items), merged(a.others, b.others)]
  return {
    ...((a.isMoney || b.isMoney) && { isMoney: true }),
    ...(items && { items }),
    ...(others && { others }),
    ...(names.length > 0 && {
      members: Object.fromEntries(names.map((name) => [name, merged(a.members?.[name], b.members?.[name])!])),
    }),
  }
}

type Amount = number | string

/** A copy of `value` with each amount replaced. Amounts in text stay text. */
export function mapMoney(value: unknown, shape: MoneyShape | undefined, to: (amount: Amount) => unknown): unknown {
  if (!shape || value === null || value === undefined) return value
  if (Array.isArray(value)) return shape.items ? value.map((one) => mapMoney(one, shape.items, to)) : value
  if (shape.isMoney && isAmount(value)) return to(value)
  if (typeof value !== 'object' || !(shape.members || shape.others)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, mapMoney(one, shape.members?.[name] ?? shape.others, to)]),
  )
}

/** A number, with digits kept beyond a double or not, or a decimal as text. */
const isAmount = (value: unknown): value is Amount =>
  typeof value === 'number' || value instanceof Number || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value))

const Money = t.Enum(['number', 'text'], {
  default: 'number',
  description:
    'text: each amount of the JSON response as a decimal string with all its digits, such as "12.5", in place of a number',
})

const noFile = (): Fault =>
  Fault.invalid(
    'validation_failed',
    'query money: text is for JSON. For exact amounts in a file, use POST /reports/export.',
    {
      problems: [{ path: 'money', code: 'enum', message: 'must be number for a file' }],
    },
  )

/** `route` with the parameter, if its response contains money. */
export function withMoney(route: Route): Route {
  const [data, meta] = [route.reply, route.meta].map((schema) => moneyIn(schema as Keywords | undefined))
  if (route.media !== undefined || (!data && !meta)) return route
  const { properties, additionalProperties } = (route.query ?? {}) as Keywords & Partial<TObject>
  const open = additionalProperties === undefined ? {} : { additionalProperties: additionalProperties as boolean }
  return {
    ...route,
    query: t.Object({ ...(properties as TObject['properties']), money: Money }, open),
    async handle(request, services) {
      const { money, ...query } = request.query as { money: 'number' | 'text'; format?: string }
      const asked = { ...(request as object), query } as never
      if (money !== 'text') return route.handle(asked, services)
      if ((query.format ?? 'json') !== 'json') throw noFile()
      const answer = await keepingDigits(() => route.handle(asked, services))
      const plain = answer instanceof Reply ? answer : new Reply(answer, {})
      const toText = (amount: Amount) => (typeof amount === 'string' ? amount : amountText(amount))
      return plain.media === undefined
        ? plain.shownAs(mapMoney(plain.payload, data, toText), mapMoney(plain.meta, meta, toText))
        : plain
    },
  }
}
