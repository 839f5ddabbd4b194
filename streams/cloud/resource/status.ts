/** What a cloud's own state means to us, as the list of types maps it. */
import { typeOf } from './resource-type.ts'
import { resourceStatuses, type ResourceStatus } from '#streams/resource/messages.ts'

const always = 'running while it exists'

type States = ReadonlyMap<string, ResourceStatus> | typeof always

/** By type, read from the list once. */
const maps = new Map<string, States>()

function statesOf(type: string): States {
  const known = maps.get(type)
  if (known) return known
  const prose = typeOf(type)?.statusMap ?? always
  const states = prose === always ? always : new Map(prose.split('; ').flatMap(entry))
  maps.set(type, states)
  return states
}

/** `<theirs>,<theirs>=<ours>`; ours may have a remark behind it. */
function entry(text: string): [string, ResourceStatus][] {
  const [theirs = '', ours = ''] = text.split('=')
  const status = resourceStatuses.find((one) => one === /^[a-z]+/.exec(ours)?.[0])
  return status ? theirs.split(',').map((state) => [state, status]) : []
}

/**
 * Undefined while the state is not known, so that the status stays as it was. A state that the list does not name is `pending`;
 * a type without states, or that the list does not name, is running while it exists. Types whose states are prose (`desired>0`)
 * are not for this.
 */
export function statusOf(type: string, state: string | null | undefined): ResourceStatus | undefined {
  const states = statesOf(type)
  if (states === always) return 'running'
  return state === null || state === undefined || state === '' ? undefined : (states.get(state) ?? 'pending')
}
