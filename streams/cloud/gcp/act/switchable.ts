/** What is only looked at, started and stopped: clusters of Dataproc, workbenches, workstations, versions of App Engine. */
import { t, type Static, type TSchema } from '#engine/value/schema.ts'
import type { Service } from '#streams/cloud/gcp/session/api.ts'
import { AppVersion, StartedOperation, Hadoop, Workbench, Workstation } from '#streams/cloud/gcp/answer/service.ts'
import { partsOf, safePath } from '#streams/cloud/gcp/resource-path.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import { absent, ignoreNotFound, type ResourceKind, type ResourceState } from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish } from '#streams/cloud/resource/verb/spec.ts'
import { requestId, type At } from './kind.ts'

interface SwitchableType<S extends TSchema> {
  type: string
  service: Service
  /** What has to be in its path. */
  parts: readonly string[]
  schema: S
  stateOf: (found: Static<S>) => string | undefined
  permissions: { get: string; start: string; stop: string }
  /** Sent with a start or a stop. */
  bodyOf?: (at: At, what: 'start' | 'stop') => object
}

function switchableKind<S extends TSchema>({
  type,
  service,
  parts,
  schema,
  stateOf,
  permissions,
  bodyOf = () => ({}),
}: SwitchableType<S>): ResourceKind<At> {
  const pathOf = ({ ref }: At): string => {
    partsOf(ref.resourceUid, ...parts)
    return `/${safePath(ref.resourceUid)}`
  }
  const look = async (at: At): Promise<ResourceState> => {
    const found = await ignoreNotFound(
      at.session.ask({ service, path: pathOf(at), permission: permissions.get }, schema),
    )
    if (found === undefined) return absent
    return { exists: true, ...dropNullish({ status: statusOf(type, stateOf(found)) }) }
  }
  const call = (what: 'start' | 'stop') => (at: At) =>
    at.session.ask(
      { service, path: `${pathOf(at)}:${what}`, method: 'POST', body: bodyOf(at, what), permission: permissions[what] },
      StartedOperation,
    )
  return {
    look,
    start: call('start'),
    stop: call('stop'),
  }
}

const powerPermissions = (of: string) => ({ get: `${of}.get`, start: `${of}.start`, stop: `${of}.stop` })

export const hadoop = switchableKind({
  type: 'gcp-dataproc',
  service: 'dataproc',
  parts: ['projects', 'regions', 'clusters'],
  schema: Hadoop,
  stateOf: ({ status }) => status?.state,
  permissions: powerPermissions('dataproc.clusters'),
  bodyOf: (at, what) => ({ requestId: requestId(at, what) }),
})

export const workbench = switchableKind({
  type: 'gcp-workbench',
  service: 'notebooks',
  parts: ['projects', 'locations', 'instances'],
  schema: Workbench,
  stateOf: ({ state }) => state,
  permissions: powerPermissions('notebooks.instances'),
})

export const workstation = switchableKind({
  type: 'gcp-workstation',
  service: 'workstations',
  parts: ['projects', 'locations', 'workstationClusters', 'workstationConfigs', 'workstations'],
  schema: Workstation,
  stateOf: ({ state }) => state,
  permissions: powerPermissions('workstations.workstations'),
})

const pathOfVersion = ({ ref }: At): string => {
  partsOf(ref.resourceUid, 'apps', 'services', 'versions')
  return `/${safePath(ref.resourceUid)}`
}

async function lookVersion(at: At): Promise<ResourceState> {
  const call = { service: 'appengine', path: pathOfVersion(at), permission: 'appengine.versions.get' } as const
  const found = await ignoreNotFound(at.session.ask(call, AppVersion))
  return found
    ? { exists: true, ...dropNullish({ status: statusOf('gcp-appengine-version', found.servingStatus) }) }
    : absent
}

const serving = (servingStatus: 'SERVING' | 'STOPPED') => (at: At) => {
  const call = {
    service: 'appengine',
    path: pathOfVersion(at),
    method: 'PATCH',
    query: { updateMask: 'servingStatus' },
  } as const
  return at.session.ask(
    { ...call, body: { servingStatus }, permission: 'appengine.versions.update' },
    t.Union([StartedOperation, t.Object({})]),
  )
}

/** One that scales by itself Google does not stop: it says so. */
export const appVersion: ResourceKind<At> = {
  look: lookVersion,
  start: serving('SERVING'),
  stop: serving('STOPPED'),
}
