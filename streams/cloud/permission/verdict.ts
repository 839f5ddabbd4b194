/** What the permissions of an account add up to, the same for each cloud. */
import type { Fault } from '#engine/value/fault.ts'
import type { PermissionCheck, Verification } from '#streams/cloud/connector.ts'
import type { Permission } from './permission-types.ts'

export const noAccess = (message: string): Verification => ({ verdict: 'none', missingPermissions: [], message })

/** A refusal of the credentials, and what to do about it. */
export function refusedAccess({ message, detail: { fixHint } }: Fault): Verification {
  return noAccess(typeof fixHint === 'string' ? `${message} ${fixHint}` : message)
}

/** Each name once; what is needed to read and to write is read. */
export function eachOnce<T extends Pick<PermissionCheck, 'name' | 'access'>>(all: Iterable<T>): T[] {
  const byName = new Map<string, T>()
  for (const one of all) if (!byName.has(one.name) || one.access === 'read') byName.set(one.name, one)
  return [...byName.values()]
}

export interface VerdictRules {
  /** The cloud's table. */
  table: readonly Permission[]
  /** Whom the permissions belong to, with its article: `The role`. */
  who: string
  /** The document that grants them, and how it is given: `role`, `Assign it the role`. */
  document: string
  give: string
  /** Prints that document. */
  command: string
  /** If the cloud reported nothing. */
  unknown: string
  /** Granted to everybody: it proves nothing. */
  free?: string
}

/** Machines, whose start and stop `read_write` promises. */
const machines: ReadonlySet<string> = new Set(['aws-ec2', 'gcp-vm', 'azure-vm'])

/** Looking at something before it is changed does not mean that it may be changed. */
const looks = /:(Describe|Get|List)|\.(get|list|getData|getIamPolicy|use|useReadOnly)$|\/read$/

/**
 * `read_write`: changes are allowed, and starting and stopping machines is not missing. Without any permission to change,
 * as some customers want it, missing write permissions are in `permissions` alone.
 */
export function verdictOf(permissions: readonly PermissionCheck[], rules: VerdictRules): Verification {
  const names = (access: PermissionCheck['access'], state: PermissionCheck['state']) =>
    permissions.filter((one) => one.access === access && one.state === state).map(({ name }) => name)
  const { who, document, give, command, unknown, free } = rules
  const lacksRead = names('read', 'missing')
  if (names('read', 'granted').every((name) => name === free)) {
    if (lacksRead.length === 0) return { verdict: 'unknown', missingPermissions: [], message: unknown, permissions }
    const message = `${who} has none of the required permissions. ${give} printed by ${command}.`
    return { ...noAccess(message), missingPermissions: lacksRead.toSorted(), permissions }
  }
  const lacksWrite = names('write', 'missing')
  const mayChange = names('write', 'granted').some((name) => !looks.test(name))
  const switches = new Set(rules.table.filter(switchesMachines).flatMap((one) => one.names))
  const missingPermissions = [...lacksRead, ...(mayChange ? lacksWrite : [])].toSorted()
  return {
    verdict: mayChange && !lacksWrite.some((name) => switches.has(name)) ? 'read_write' : 'read_only',
    missingPermissions,
    permissions,
    ...(missingPermissions.length > 0 && {
      message: `${who} is missing ${missingPermissions.length} permissions. Compare its ${document} with the output of ${command}${mayChange ? ' --write' : ''}.`,
    }),
  }
}

const switchesMachines = ({ call, types = [] }: Permission): boolean =>
  (call === 'start' || call === 'stop') && types.some((type) => machines.has(type))
