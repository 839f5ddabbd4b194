/** Maps the states of clouds to ours, according to the list of types. */
import { typeOf } from './resource-type.ts'
import { resourceStatuses, type ResourceStatus } from '#streams/resource/messages.ts'

const always = 'running while it exists'

type States = ReadonlyMap<string, ResourceStatus> | typeof always

/** By type; parsed once. */
const maps = new Map<string, States>()

function statesOf(type: string): States {
  const known = maps.get(type)
  if (known) return known
  const prose = typeOf(type)?.statusMap ?? always
  const states = prose === always ? always : new Map(prose.split('; ').flatMap(entry))
  maps.set(type, states)
  return states
}

/** `<theirs>,<theirs>=<ours>`; a remark may follow ours. */
function entry(text: string): [string, ResourceStatus][] {
  const [theirs = '', ours = ''] = text.split('=')
  const status = resourceStatuses.find((one) => one === /^[a-z]+/.exec(ours)?.[0])
  return status ? theirs.split(',').map((state) => [state, status]) : []
}

/**
 * Undefined if the state is unknown, so that the status does not change. A state that is not in the list is `pending`.
 * A type without states, or one that is not in the list, is running while it exists. Not for types whose states are
 * expressions (`desired>0`).
 */
export function statusOf(type: string, state: string | null | undefined): ResourceStatus | undefined {
  const states = statesOf(type)
  if (states === always) return 'running'
  return state === null || state === undefined || state === '' ? undefined : (states.get(state) ?? 'pending')
}
