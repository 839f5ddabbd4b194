import type { FailedWorkspaceChangeRequest } from '@aws-sdk/client-workspaces'
import { cloudFault } from '#streams/cloud/connector.ts'
import { switchKind } from './switch-kind.ts'

/** One request may succeed with failures inside. @throws `rejected` */
function requireTaken({ FailedRequests = [] }: { FailedRequests?: FailedWorkspaceChangeRequest[] | undefined }): void {
  const [failed] = FailedRequests
  if (failed) throw cloudFault('user_action', 'rejected', failed.ErrorMessage ?? failed.ErrorCode ?? 'AWS refused it.')
}

/** AWS starts and stops only desktops that stop by themselves when they are not used. */
export const workspace = switchKind({
  find: async ({ session, region, name }) =>
    (await session.ask('workspaces', region, (m) => new m.DescribeWorkspacesCommand({ WorkspaceIds: [name] })))
      .Workspaces?.[0],
  state: ({ State }) => State,
  size: ({ WorkspaceProperties }) => WorkspaceProperties?.ComputeTypeName,
  start: async ({ session, region, name: WorkspaceId }) =>
    requireTaken(
      await session.ask(
        'workspaces',
        region,
        (m) => new m.StartWorkspacesCommand({ StartWorkspaceRequests: [{ WorkspaceId }] }),
      ),
    ),
  stop: async ({ session, region, name: WorkspaceId }) =>
    requireTaken(
      await session.ask(
        'workspaces',
        region,
        (m) => new m.StopWorkspacesCommand({ StopWorkspaceRequests: [{ WorkspaceId }] }),
      ),
    ),
})
