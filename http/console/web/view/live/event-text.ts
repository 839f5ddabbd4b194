/** Events as people read them. Of those that are not known here the data stands as it came. */
import { count, pluralize, percent, usd } from '../../figure.ts'
import { dayText } from '../../day.ts'
import type { LiveEvent } from '../../live.ts'
import { statusName } from '../workflows/labels.ts'

type Data = LiveEvent['data']

const readText = (data: Data, name: string): string => {
  const value = data[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
const many = (data: Data, name: string): number => (Array.isArray(data[name]) ? data[name].length : 0)

function daysText(data: Data): string {
  const days = (Array.isArray(data['days']) ? (data['days'] as string[]) : []).toSorted()
  if (days.length === 0) return 'no days'
  return days.length === 1
    ? dayText(days[0]!)
    : `${pluralize(days.length, 'day')} from ${dayText(days[0]!)} to ${dayText(days.at(-1)!)}`
}

const sentences: Readonly<Record<string, (data: Data) => string>> = {
  ready: () => 'The stream is open.',
  resync: () => 'Some changes may have been missed: all views reload.',
  'costs.changed': (data) =>
    `Costs of ${daysText(data)} were recomputed in ${pluralize(many(data, 'cloudAccountIDs'), 'account')}.`,
  'anomaly.recorded': (data) =>
    `An anomaly of ${dayOf(data)} was detected: ${readText(data, 'severity')}, in ${inWhat(data)}.`,
  'anomaly.reviewed': (data) =>
    `An anomaly of ${dayOf(data)} is ${readText(data, 'state') === 'none' ? 'open again' : readText(data, 'state')}.`,
  'anomaly.withdrawn': (data) => `An anomaly of ${dayOf(data)} was withdrawn.`,
  'budget.evaluated': (data) =>
    `A budget of ${readText(data, 'month')} is ${readText(data, 'level') === 'exceeded' ? 'exceeded' : 'near its limit'}: ${usd(Number(data['spendUSD']))}, ${percent(Number(data['percentUsed']))}.`,
  'refresh.progress': (data) =>
    `Discovery ${readText(data, 'status')}: ${count(Number(data['discovered'] ?? 0))} resources so far.`,
  'inventory.changed': (data) =>
    `Resources of ${pluralize(many(data, 'cloudAccountIDs'), 'account')} were added, changed or removed.`,
  'bill.changed': (data) => `A bill (${readText(data, 'exportID')}) is ${readText(data, 'state')}.`,
  'recommendation.changed': (data) =>
    `Recommendations of ${pluralize(many(data, 'cloudAccountIDs'), 'account')} were created, decided or closed.`,
  'workflow.changed': (data) => `A workflow: ${statusName(readText(data, 'status'))}.`,
  'dead_letter.recorded': (data) => `A message was dead-lettered: ${readText(data, 'code')}.`,
}

/** Kinds of events, each by the beginning of its names. */
const groups: readonly (readonly [kind: string, title: string])[] = [
  ['costs.', 'costs'],
  ['anomaly.', 'anomalies'],
  ['budget.', 'budgets'],
  ['recommendation.', 'recommendations'],
  ['workflow.', 'workflows'],
  ['inventory.', 'inventory'],
  ['refresh.', 'discovery'],
  ['bill.', 'bills'],
  ['dead_letter.', 'dead letters'],
]
/** Those of the stream itself have no kind in their names. */
const ofStream = ['stream', 'the stream'] as const

export const isOf = (name: string, kind: string): boolean =>
  kind === ofStream[0] ? !name.includes('.') : name.startsWith(kind)

/** What may be chosen: the kinds that are known here, and those of what came beside. */
export function kindsOf(names: readonly string[]): readonly (readonly [kind: string, title: string])[] {
  const known = [...groups, ofStream]
  const others = names.filter((name) => !known.some(([kind]) => isOf(name, kind))).map((name) => name.split('.')[0]!)
  return [...known, ...[...new Set(others)].map((word) => [`${word}.`, word.replaceAll('_', ' ')] as const)]
}

const dayOf = (data: Data): string => (readText(data, 'date') ? dayText(readText(data, 'date')) : 'an unknown day')
const inWhat = (data: Data): string => readText(data, 'type').replaceAll('_', ' ')

export function sentenceOf({ name, data }: LiveEvent): string {
  const sentence = Object.hasOwn(sentences, name) ? sentences[name] : undefined
  return sentence ? sentence(data) : JSON.stringify(data)
}

/** Where it is looked at. */
export function placeOf({ name, data }: LiveEvent): { view: string; query: Record<string, string> } | undefined {
  const [kind] = name.split('.')
  if (name === 'anomaly.recorded' || name === 'anomaly.reviewed')
    return {
      view: 'anomalies',
      query: { anomaly: readText(data, 'id'), from: readText(data, 'date'), to: readText(data, 'date') },
    }
  if (name === 'costs.changed') return { view: 'costs', query: {} }
  if (kind === 'budget') return { view: 'budgets', query: {} }
  if (kind === 'inventory') return { view: 'inventory', query: { sort_by: 'updated_at' } }
  if (kind === 'recommendation') return { view: 'recommendations', query: { sort_by: 'updated_at' } }
  if (kind === 'workflow') return { view: 'workflows', query: { job: readText(data, 'jobID') } }
  if (kind === 'bill' || kind === 'refresh') return { view: 'sources', query: {} }
  return kind === 'dead_letter' ? { view: 'sources', query: { tab: 'dead-letters' } } : undefined
}

/** 0.4 s, 12 s, 3 min. */
export const secondsText = (seconds: number): string =>
  seconds < 10
    ? `${count(Math.round(seconds * 10) / 10)} s`
    : seconds < 120
      ? `${count(Math.round(seconds))} s`
      : `${count(Math.round(seconds / 60))} min`
