/** What the parts of the view know of the resource. */
import type { Reply } from '../../api.ts'

export type ResourceDetail = Reply<'POST /resources/by-uids'>[number]
export type Context = Reply<'GET /resources/:resourceID/context'>
