/** Saved views in requests and responses, and who may change what is saved. */
import { readdirSync } from 'node:fs'
import type { SavedView } from '#actors/saved-view/entity.ts'
import type { Sharing } from '#actors/saved-view/sharing.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Name, Timestamp } from '#http/edge/parameter/field.ts'
import { didYouMean } from '#http/edge/request/nearest.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { isMailable } from '#http/console/web/saved-query.ts'

/** Each view has a folder with its name. */
const consoleViews: readonly string[] = readdirSync(new URL('../console/web/view/', import.meta.url), {
  withFileTypes: true,
}).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

const queryMax = 8192

export const SharedField = t.Enum(['me', 'organization'], {
  description: "who can see it. What is the organization's can be changed by its creator and by owners and admins",
})

const members = {
  name: Name,
  view: t.String({ maxLength: 64, description: 'a console view, as in its URL', examples: ['costs'] }),
  query: t.String({
    maxLength: queryMax,
    pattern: "^(?:[A-Za-z0-9._~!$&'()*+,;=:@/\\[\\]|-]|%[0-9A-Fa-f]{2})*$",
    description: 'query string of its URL without the question mark; may be empty',
    examples: ['range=month&dims=service_name'],
  }),
  shared: SharedField,
}

export const ViewBody = t.Object(
  { ...members, query: t.Optional(members.query), shared: t.Optional(members.shared) },
  {
    examples: [
      { name: 'Services this month', view: 'costs', query: 'range=month&dims=service_name', shared: 'organization' },
    ],
  },
)
export const ViewChange = t.Partial(t.Object(members), { examples: [{ name: 'Services' }] })

/** @throws Fault `invalid` for an unknown view, or a query that is not valid text */
export function checkView({ view, query }: { view?: string; query?: string }): void {
  if (view !== undefined && !consoleViews.includes(view)) {
    const message = `must be a console view: ${consoleViews.join(', ')}${didYouMean(view, consoleViews)}`
    throw badInput({ in: 'body', name: '/view', code: 'enum', message })
  }
  if (query !== undefined && !isReadable(query))
    throw badInput({ in: 'body', name: '/query', code: 'format', message: 'must be a valid UTF-8 query string' })
}

function isReadable(query: string): boolean {
  try {
    return !decodeURIComponent(query).includes('\u0000')
  } catch {
    return false
  }
}

export const View = t.Object(
  {
    id: t.String(),
    ...members,
    ownerID: t.String({ description: 'creator' }),
    isMine: t.Boolean(),
    mayChange: t.Boolean({ description: 'whether you can change and delete it' }),
    isMailable: t.Boolean({ description: 'whether it can be sent by email' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'SavedView',
    examples: [
      {
        id: '4c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        name: 'Services of the month',
        view: 'costs',
        query: 'range=month&dims=service_name',
        shared: 'organization',
        ownerID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        isMine: true,
        mayChange: true,
        isMailable: true,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

export interface OwnedRecord {
  ownerId: string
  /** Empty: everybody. */
  holder: string
}

export const mayChange = ({ ownerId, holder }: OwnedRecord, { userId, isAdmin }: Caller): boolean =>
  ownerId === userId || (holder === '' && isAdmin)

/** Making something for everybody needs the permission to create things. @throws Fault `forbidden` */
export function checkShared(caller: Caller, shared: Sharing | undefined): void {
  if (shared === 'organization' && !caller.permissions.has('service.create'))
    throw Fault.forbidden('forbidden', 'Sharing with the organization requires the permission service.create.')
}

/** @throws Fault `forbidden` `not_yours` */
export function checkMine(owned: OwnedRecord, caller: Caller): void {
  if (!mayChange(owned, caller))
    throw Fault.forbidden('not_yours', 'Only its creator, owners and admins can change this.')
}

export const showView = (view: SavedView, caller: Caller): Static<typeof View> => ({
  id: view.id,
  name: view.name,
  view: view.view,
  query: view.query,
  shared: view.holder === '' ? 'organization' : 'me',
  ownerID: view.ownerId,
  isMine: view.ownerId === caller.userId,
  mayChange: mayChange(view, caller),
  isMailable: isMailable(view.view),
  createdAt: view.createdAt.toISOString(),
  updatedAt: view.updatedAt.toISOString(),
})
