/** Resource groups as the API lists them. */
import type { Reply } from '../../api.ts'

export type GroupPage = Reply<'GET /resource-groups'>
export type GroupRow = GroupPage['items'][number]
export type GroupMember = GroupRow['members'][number]
