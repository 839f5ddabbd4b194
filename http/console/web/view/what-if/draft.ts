/** What is asked for as forms hold it: a text a field, and the object that comes of them. Pure. */

export interface Field {
  /** Where it stands in what is sent: thresholds/warning/percent. */
  path: string
  title: string
  /** Lists are one a line. */
  as: 'text' | 'number' | 'list' | 'flag' | 'json'
  hint?: string
}

export type ChangeDraft = Readonly<Record<string, string>>
type ChangeInput = Readonly<Record<string, unknown>>

/** What is no number stays text: the API says what is wrong with it. */
const numberOf = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text)

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** @throws SyntaxError for text that is no JSON */
function valueOf({ as }: Field, text: string): unknown {
  if (as === 'json') return JSON.parse(text) as unknown
  if (as === 'list') return lines(text)
  if (as === 'flag') return text === 'true'
  return as === 'number' ? numberOf(text.trim()) : text.trim()
}

/** Fields that are left empty are left out. @throws SyntaxError for text that is no JSON */
export function objectOf(fields: readonly Field[], draft: ChangeDraft): Record<string, unknown> {
  const whole: Record<string, unknown> = {}
  for (const field of fields) {
    const text = draft[field.path] ?? ''
    if (text.trim() === '') continue
    const names = field.path.split('/')
    const last = names.pop()!
    let at = whole
    for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>
    at[last] = valueOf(field, text)
  }
  return whole
}

function textOf({ as }: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (as === 'json') return JSON.stringify(value, undefined, 2)
  if (as === 'list' && Array.isArray(value)) return value.join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function draftOf(fields: readonly Field[], given: ChangeInput): ChangeDraft {
  const found = fields.map((field) => {
    const value = field.path.split('/').reduce<unknown>((at, name) => (at as ChangeInput | undefined)?.[name], given)
    return [field.path, textOf(field, value)] as const
  })
  return Object.fromEntries(found.filter(([, text]) => text !== ''))
}

/** What the address says of a change; empty where that is nothing that can be read. */
export function changeOf(text: string | undefined): Record<string, unknown> {
  try {
    const given: unknown = JSON.parse(text ?? '{}')
    return typeof given === 'object' && given !== null && !Array.isArray(given)
      ? (given as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}
