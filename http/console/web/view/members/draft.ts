/** A role as it is being written: what is typed, and how it differs from what is there. */
import type { Role } from './asked.ts'

export interface Draft {
  name: string
  permissions: readonly string[]
  all: boolean
  cloudAccountIDs: readonly string[]
  teamIDs: readonly string[]
}

export const draftOf = (role: Role | undefined): Draft => ({
  name: role?.name ?? '',
  permissions: role?.permissions ?? ['service.view', 'space.view'],
  all: role?.reportScope.all ?? true,
  cloudAccountIDs: role?.reportScope.cloudAccountIDs ?? [],
  teamIDs: role?.reportScope.teamIDs ?? [],
})

export const bodyOf = ({ name, permissions, all, cloudAccountIDs, teamIDs }: Draft) => ({
  name,
  permissions,
  reportScope: { all, cloudAccountIDs, teamIDs },
})

/** What differs from what was there alone: others may have changed the rest. */
export const changesOf = (role: Role, draft: Draft) => {
  const [before, now] = [bodyOf(draftOf(role)), bodyOf(draft)]
  const text = (value: unknown) => JSON.stringify(value)
  return {
    ...(before.name !== now.name && { name: now.name }),
    ...(text(before.permissions) !== text(now.permissions) && { permissions: now.permissions }),
    ...(text(before.reportScope) !== text(now.reportScope) && { reportScope: now.reportScope }),
  }
}

/** What of the draft is not as it was in the role. */
export const touched = (role: Role, draft: Draft): Partial<Draft> => {
  const { name, permissions, reportScope } = changesOf(role, draft)
  return { ...(name !== undefined && { name }), ...(permissions && { permissions }), ...reportScope }
}
