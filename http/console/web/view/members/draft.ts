/** A role as it is being written: what is typed, and how it differs from what is there. */
import type { Role } from './role-options.ts'

export interface RoleDraft {
  name: string
  permissions: readonly string[]
  all: boolean
  cloudAccountIDs: readonly string[]
  teamIDs: readonly string[]
}

export const draftOf = (role: Role | undefined): RoleDraft => ({
  name: role?.name ?? '',
  permissions: role?.permissions ?? ['service.view', 'space.view'],
  all: role?.reportScope.all ?? true,
  cloudAccountIDs: role?.reportScope.cloudAccountIDs ?? [],
  teamIDs: role?.reportScope.teamIDs ?? [],
})

export const bodyOf = ({ name, permissions, all, cloudAccountIDs, teamIDs }: RoleDraft) => ({
  name,
  permissions,
  reportScope: { all, cloudAccountIDs, teamIDs },
})
