/** Types that are only started and stopped, each by one call. */
import { statusOf } from '#streams/cloud/resource/status.ts'
import { absent, ignoreNotFound, type ResourceKind, type ResourceState } from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish } from '#streams/cloud/resource/verb/spec.ts'
import type { At } from '#streams/cloud/aws/act/kind.ts'

/** `T`: a resource as AWS describes it. */
interface Switched<T> {
  find: (at: At) => Promise<T | undefined>
  state: (found: T) => string | undefined
  size?: (found: T) => string | undefined
  start: (at: At, found: T) => Promise<unknown>
  stop: (at: At, found: T) => Promise<unknown>
}

interface FoundState<T> extends ResourceState {
  found: T
}

/** States in which a resource is about to cease. */
const going = /^(deleting|terminating)$/i
const gone = /^(terminated)$/i

export function switchKind<T>({ find, state, size, start, stop }: Switched<T>): ResourceKind<At> {
  const kind: ResourceKind<At, FoundState<T>> = {
    look: async (at) => {
      const found = await ignoreNotFound(find(at))
      const now = found && state(found)
      if (found === undefined || gone.test(now ?? '')) return absent
      return {
        exists: true,
        found,
        ...dropNullish({ status: statusOf(at.ref.type, now), instanceType: size?.(found) }),
        isGoing: going.test(now ?? ''),
      }
    },
    start: (at, { found }) => start(at, found),
    stop: (at, { found }) => stop(at, found),
  }
  return kind as ResourceKind<At>
}
