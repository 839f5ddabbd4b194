/** Errors of policies whose members have the right shape. */
import type { InputError } from '#http/edge/problem.ts'
import type { AutoscalerTerms, Trigger } from '#streams/autoscaling.ts'
import { isZone } from '#streams/cron/zone.ts'
import { isProvider, providers } from '#streams/names.ts'

const problem = (name: string, code: string, message: string): InputError => ({ in: 'body', name, code, message })

type Bounds = Pick<AutoscalerTerms, 'min' | 'max' | 'triggers'>

/** `given`: the members in the request, which errors refer to; `terms`: the policy's terms including these. */
export function problemsOf(terms: Bounds, given: Partial<Bounds> = terms): InputError[] {
  const { min, max, triggers } = terms
  const isCrossed = min > max && (given.min !== undefined || given.max !== undefined)
  return [
    ...(isCrossed
      ? [problem(given.min === undefined ? '/max' : '/min', 'bounds', 'min must not be more than max')]
      : []),
    ...(given.triggers ?? []).flatMap(triggerProblems),
    ...triggers.flatMap(({ minCapacity = 0 }, i) => {
      const place = given.triggers ? `/triggers/${i}/minCapacity` : '/max'
      const isWrong = minCapacity > max && (given.triggers !== undefined || given.max !== undefined)
      return isWrong ? [problem(place, 'bounds', `a minCapacity of ${minCapacity} must not be more than max`)] : []
    }),
  ]
}

/** Hours of presets. */
const usual = { 'business-hours': ['08:00', '18:00'], 'weekend-scale-down': ['00:00', '24:00'] } as const

function triggerProblems({ preset, timezone, start, end }: Trigger, i: number): InputError[] {
  const at = `/triggers/${i}`
  const zone = isZone(timezone)
    ? []
    : [problem(`${at}/timezone`, 'zone_unknown', 'is not an IANA time zone, such as Europe/Berlin')]
  const [from, to] = preset === 'peak-hours' ? [start, end] : [start ?? usual[preset][0], end ?? usual[preset][1]]
  const missing = Object.entries({ start: from, end: to }).flatMap(([name, value]) =>
    value === undefined ? [problem(`${at}/${name}`, 'required', 'is required for peak-hours')] : [],
  )
  const isEmpty = from !== undefined && from === to
  return [...zone, ...missing, ...(isEmpty ? [problem(`${at}/end`, 'window_empty', 'must differ from start')] : [])]
}

const typeShape = /^[a-z]+-[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * Errors of a real type; `known`: the cloud of the account, and the type of the target in the inventory if it has it.
 */
export function typeProblems(
  type: string,
  known: { provider: string; type?: string | undefined },
  place: Pick<InputError, 'in' | 'name'>,
): InputError[] {
  const [provider = ''] = type.split('-')
  const wrong = (code: string, message: string) => [{ ...place, code, message }]
  if (!typeShape.test(type) || !isProvider(provider))
    return wrong('type_unknown', `must be <provider>-<kind> with one of the providers ${providers.join(', ')}`)
  if (known.type !== undefined && known.type !== type)
    return wrong('mismatch', `must match the resource's type, ${known.type}`)
  if (known.provider !== '' && known.provider !== provider)
    return wrong('mismatch', `must match the account's provider, ${known.provider}`)
  return []
}
