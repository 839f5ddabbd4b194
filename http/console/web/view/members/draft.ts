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
