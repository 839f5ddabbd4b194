/** The content of a message, the same for all media; each medium only formats it. */
import { cents, centsText, percent, percentOf, units } from '#streams/figure.ts'
import { foldedOf, partsOf, type NotificationEvent } from '#streams/notification/messages.ts'
import { clean, cut, toSafeLink, oneLine } from '#streams/delivery/format/text.ts'

export interface Message {
  event: NotificationEvent
  /** The same for every try. */
  deliveryId: string
  /** Where it can be read; by default the event's own link. */
  link?: string
  /** Unsubscribe link; only for mails. */
  unsubscribe?: string
}

/** Decides the colour. */
export type Tone = 'good' | 'neutral' | 'warning' | 'bad'

/** Plain text, each of one line except `cause`. */
export interface Content {
  title: string
  /** Kind and severity of the event, for example: Budget Exceeded. */
  badge: string
  tone: Tone
  /** `YYYY-MM-DD HH:MM UTC`. */
  when: string
  /** What happened. */
  lines: readonly string[]
  facts: readonly Fact[]
  /** Empty if unknown. */
  cause: string
  list?: List
  link?: string
  unsubscribe?: string
}

export type Fact = readonly [label: string, value: string]

export interface List {
  label: string
  rows: readonly { title: string; line: string }[]
  /** Number of rows that are left out. */
  more: number
}

/** Maximum characters; for `lines` the maximum number of lines. */
const most = { title: 256, name: 80, line: 2000, lines: 10, fact: 500, cause: 2000, row: 200 } as const
const rowsMax = 20

/** `share` is the used part of each maximum; 1 is all. */
export function contentOf({ event, link, unsubscribe }: Message, share = 1): Content {
  const told = partsOf(event)
  const one = told.length === 1 ? told[0]! : event
  const fit = (text: string, what: Exclude<keyof typeof most, 'lines'>) => cut(text, Math.ceil(most[what] * share))
  const cause = clean(textOf(one.data.rootCause))
  const summary = clean(one.summary)
  const list = told.length > 1 ? toEventList(told, numberOf(event.data.more) ?? 0) : topResources(one.data.topResources)
  return {
    title: fit(oneLine(one.title), 'title'),
    badge: fit(badgeOf(one), 'name'),
    tone: toneOf(one),
    when: minute(one.occurredAt),
    lines: [...(summary === cause ? [] : linesOf(summary)).slice(0, most.lines), ...foldedLine(one)].map((line) =>
      fit(line, 'line'),
    ),
    facts: factsOf(one).map(([label, value]) => [label, fit(oneLine(value), 'fact')]),
    cause: fit(linesOf(cause).join('\n'), 'cause'),
    ...(list && {
      list: {
        ...list,
        rows: list.rows.map(({ title, line }) => ({ title: fit(title, 'row'), line: fit(line, 'row') })),
      },
    }),
    ...optional('link', toSafeLink(link ?? one.link)),
    ...optional('unsubscribe', toSafeLink(unsubscribe)),
  }
}

/** Formats the message with the longest texts that fit within the medium's limit. */
export function fitMessage<B extends object>(
  message: Message,
  render: (content: Content) => B,
  fits: (body: B) => boolean,
): B {
  for (const share of [1, 1 / 2, 1 / 4, 1 / 8]) {
    const body = render(contentOf(message, share))
    if (fits(body)) return body
  }
  return render(contentOf(message, 1 / 16))
}

export const bytesOf = (body: object): number => Buffer.byteLength(JSON.stringify(body))

/** Text after a shortened list; empty if nothing was left out. */
export const moreOf = ({ more }: List): string => (more > 0 ? `and ${more} more` : '')

/** `YYYY-MM-DD HH:MM UTC`; empty if the value is not a time. */
export function minute(time: string): string {
  const at = new Date(time)
  return Number.isNaN(at.getTime()) ? '' : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

const optional = <K extends string>(name: K, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [_ in K]?: string }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Other anomalies with the same cause. */
function foldedLine(event: NotificationEvent): string[] {
  const rows = foldedOf(event).map(({ label, actualCostUsd, expectedCostUsd }) => {
    const above = cents(cents(actualCostUsd) - cents(expectedCostUsd))
    return `${oneLine(label)} (${withSign(above, dollars(above))})`
  })
  return rows.length === 0 ? [] : [`Same cause: ${rows.join(', ')}`]
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
const linesOf = (text: string): string[] => text.split('\n').map(oneLine).filter(Boolean)

function badgeOf({ name, severity }: NotificationEvent): string {
  if (severity === undefined || name.toLowerCase().includes(severity)) return oneLine(name)
  return oneLine(`${name} (${severity.charAt(0).toUpperCase()}${severity.slice(1)})`)
}

const tones: Readonly<Record<string, Tone>> = {
  'budget.warning': 'warning',
  'budget.exceeded': 'bad',
  'resource.failed': 'bad',
  'resource.retry_exhausted': 'bad',
  'resource.started': 'good',
  'resource.stopped': 'good',
}

function toneOf({ severity, eventType }: NotificationEvent): Tone {
  if (severity !== undefined) return severity === 'warning' ? 'warning' : 'bad'
  return tones[eventType] ?? 'neutral'
}

type Data = NotificationEvent['data']

/** Figures and names from events of each category; missing or invalid ones are left out. */
function factsOf({ category, eventType, data }: NotificationEvent): Fact[] {
  const ofCategory = { budget: budgetFacts, cost_anomaly: anomalyFacts, resource: resourceFacts }[category]
  const facts = (factsOfType.get(eventType) ?? ofCategory)(data)
  return facts.filter(([, value]) => value !== '')
}

const dollars = (amount: number | undefined): string => (amount === undefined ? '' : `${centsText(amount)} US dollars`)
const percentText = (value: number | undefined): string => (value === undefined ? '' : `${percent(value)}%`)
const withSign = (amount: number, text: string): string => (amount > 0 ? `+${text}` : text)

function budgetFacts(data: Data): Fact[] {
  const spend = numberOf(data.currentSpendUSD)
  const budget = numberOf(data.monthlyBudgetUSD)
  const areBoth = spend !== undefined && budget !== undefined
  const used = areBoth ? percentOf(units(spend), units(budget)) : undefined
  return [
    ['Month', textOf(data.month)],
    ['Spend', areBoth ? `${centsText(spend)} of ${dollars(budget)}` : dollars(spend)],
    ['Used', percentText(numberOf(data.percentUsed) ?? used)],
    ['Forecast', dollars(numberOf(data.forecastUSD))],
    ['Alert threshold', percentText(numberOf(data.alertThresholdPercent))],
  ]
}

function anomalyFacts(data: Data): Fact[] {
  const actual = numberOf(data.actualCostUsd)
  const expected = numberOf(data.expectedCostUsd)
  const deviation = numberOf(data.deviationPercent)
  const isKnown = actual !== undefined && expected !== undefined && deviation !== undefined
  const above = isKnown ? cents(actual) - cents(expected) : 0
  return [
    ['Day', textOf(data.date)],
    ['Cost', dollars(actual)],
    ['Expected', dollars(expected)],
    ['Deviation', isKnown ? `${withSign(above, dollars(above))} (${withSign(deviation, percentText(deviation))})` : ''],
  ]
}

function resourceFacts(data: Data): Fact[] {
  const name = textOf(data.resourceName)
  const uid = textOf(data.resourceUid)
  const type = textOf(data.resourceType)
  const tries = numberOf(data.attempts)
  return [
    ['Resource', name && type ? `${name} (${type})` : name],
    ['ID', uid === name ? '' : uid],
    ['Account', [textOf(data.provider), textOf(data.cloudAccountID)].filter(Boolean).join(' ')],
    ['Region', textOf(data.region)],
    ['Action', textOf(data.action)],
    ['Requested by', textOf(data.changedBy)],
    ['Attempts', tries === undefined ? '' : String(tries)],
    ['Error', textOf(data.errorMessage)],
  ]
}

function recommendationFacts(data: Data): Fact[] {
  const severity = textOf(data.recommendationSeverity)
  return [
    ['Estimated savings in 30 days', dollars(numberOf(data.savingsUsd))],
    ['Cost', dollars(numberOf(data.currentCostUsd))],
    ['Severity', severity],
    ['Rule', textOf(data.ruleId)],
    ...resourceFacts(data),
    ['Console', textOf(data.consoleUrl)],
  ]
}

function overrideFacts(data: Data): Fact[] {
  const members = Array.isArray(data.members) ? data.members.length : 0
  return [
    ['Desired state', textOf(data.desiredState)],
    ['Until', minute(textOf(data.expiresAt))],
    ['Reason', textOf(data.reason)],
    ['Resources', members > 1 ? String(members) : ''],
  ]
}

/** For types whose facts differ from their category's. */
const factsOfType: ReadonlyMap<string, (data: Data) => Fact[]> = new Map([
  ['resource.override', overrideFacts],
  ['recommendation', recommendationFacts],
])

function topResources(found: unknown): List | undefined {
  if (!Array.isArray(found) || found.length === 0) return undefined
  const rows = (found as Record<string, unknown>[]).slice(0, rowsMax).map((one) => {
    const delta = numberOf(one?.deltaUSD)
    const change = delta === undefined ? '' : ` (${withSign(delta, centsText(delta))})`
    return {
      title: oneLine(textOf(one?.resourceName) || textOf(one?.resourceUid)),
      line: `${dollars(numberOf(one?.costUSD))}${change}`.trim(),
    }
  })
  return { label: 'Top resources', rows, more: found.length - rows.length }
}

/** `beyond` is the number of events that the digest itself left out. */
function toEventList(told: readonly NotificationEvent[], beyond: number): List {
  const rows = told.slice(0, rowsMax).map((event) => ({
    title: oneLine(event.title),
    line: [badgeOf(event), minute(event.occurredAt), oneLine(event.summary)].filter(Boolean).join(' · '),
  }))
  return { label: `${told.length + beyond} events`, rows, more: told.length - rows.length + beyond }
}
