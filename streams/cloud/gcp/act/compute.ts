/** Calls of Compute Engine that more than one type has. */
import type { TSchema, Static } from '#engine/value/schema.ts'
import { Operation } from '#streams/cloud/gcp/answer/compute.ts'
import { partsOf, safePath } from '#streams/cloud/gcp/resource-path.ts'
import type { Query } from '#streams/cloud/gcp/session/api.ts'
import { absent, ignoreNotFound, type ResourceKind, type ResourceState } from '#streams/cloud/resource/verb/kind.ts'
import { requestId, throwIfFailed, type At } from './kind.ts'

/** `/projects/…`, of a uid that has these parts. @throws `not_found` */
export function computePath({ ref }: At, ...parts: readonly string[]): string {
  partsOf(ref.resourceUid, 'projects', ...parts)
  return `/${safePath(ref.resourceUid)}`
}

/** Undefined where there is none. */
export const got = <S extends TSchema>(
  { session }: At,
  path: string,
  permission: string,
  schema: S,
): Promise<Static<S> | undefined> => ignoreNotFound(session.ask({ service: 'compute', path, permission }, schema))

interface Change {
  path: string
  permission: string
  method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  query?: Query
  body?: object
}

/** One change, which Google makes once however often the caller has to ask for it. @throws what has ended it at once */
export async function applyChange(at: At, { path, permission, method = 'POST', query, body }: Change): Promise<void> {
  const what = `${method} ${path} ${JSON.stringify(query ?? {})}`
  const operation = await at.session.ask(
    {
      service: 'compute',
      path,
      method,
      query: { ...query, requestId: requestId(at, what) },
      ...(body && { body }),
      permission,
    },
    Operation,
  )
  throwIfFailed(at, operation)
}

/** What is only looked at and deleted. `what`: as permissions and paths name it. */
export function removable<S extends TSchema>(
  what: string,
  schema: S,
  seen: (one: Static<S>) => ResourceState,
): ResourceKind<At> {
  const look = async (at: At): Promise<ResourceState> => {
    const one = await got(at, computePath(at), `compute.${permissionOf(at, what)}.get`, schema)
    return one === undefined ? absent : seen(one)
  }
  return {
    look,
    delete: (at) =>
      applyChange(at, {
        path: computePath(at),
        method: 'DELETE',
        permission: `compute.${permissionOf(at, what)}.delete`,
      }),
  }
}

/** What is of no region has permissions of its own. */
const permissionOf = ({ ref }: At, what: string): string =>
  /\/global\//.test(ref.resourceUid) && what !== 'snapshots'
    ? `global${what.charAt(0).toUpperCase()}${what.slice(1)}`
    : what
