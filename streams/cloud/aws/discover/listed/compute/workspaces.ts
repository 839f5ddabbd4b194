import type { WorkspaceConnectionStatus } from '@aws-sdk/client-workspaces'
import { also, daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'

export const workspaces = listType('workspaces', {
  type: 'aws-workspace',
  permissions: [
    'workspaces:DescribeWorkspaces',
    'workspaces:DescribeWorkspacesConnectionStatus',
    'workspaces:DescribeTags',
  ],
  list: (m, NextToken) => new m.DescribeWorkspacesCommand({ Limit: 25, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: async ({ Workspaces }, place) => {
    const ids = listOf(Workspaces).flatMap(({ WorkspaceId }) => WorkspaceId ?? [])
    const connections = await place.more('workspaces:DescribeWorkspacesConnectionStatus', () =>
      connectionsById(place, ids),
    )
    return listOf(Workspaces).map((one) => ({ ...one, connection: connections?.get(one.WorkspaceId) }))
  },
  isOwn: ({ State }) => State !== 'TERMINATED',
  detail: async ({ WorkspaceId: ResourceId }, place) =>
    also(place, 'workspaces:DescribeTags', () =>
      place.ask('workspaces', (m) => new m.DescribeTagsCommand({ ResourceId })),
    ),
  uid: ({ WorkspaceId }) => WorkspaceId,
  fields: ({ WorkspaceName, UserName, State, WorkspaceProperties: its }, _, detail) => ({
    name: WorkspaceName ?? UserName,
    state: State,
    instanceType: its?.ComputeTypeName,
    sizeGB: its?.RootVolumeSizeGib && its.RootVolumeSizeGib + (its.UserVolumeSizeGib ?? 0),
    tags: detail?.TagList,
  }),
  specs: {
    running_mode: ({ WorkspaceProperties }) => WorkspaceProperties?.RunningMode,
    compute_type: ({ WorkspaceProperties }) => WorkspaceProperties?.ComputeTypeName,
    // Null where nobody has connected yet.
    days_since_connection: ({ connection }) =>
      connection && (daysSince(connection.LastKnownUserConnectionTimestamp) ?? null),
    volumes_encrypted: ({ RootVolumeEncryptionEnabled: root, UserVolumeEncryptionEnabled: user }) =>
      Boolean(root && user),
  },
})

async function connectionsById(
  place: RegionScan,
  WorkspaceIds: string[],
): Promise<ReadonlyMap<string | undefined, WorkspaceConnectionStatus>> {
  if (WorkspaceIds.length === 0) return new Map()
  const { WorkspacesConnectionStatus } = await place.ask(
    'workspaces',
    (m) => new m.DescribeWorkspacesConnectionStatusCommand({ WorkspaceIds }),
  )
  return new Map(listOf(WorkspacesConnectionStatus).map((one) => [one.WorkspaceId, one]))
}
