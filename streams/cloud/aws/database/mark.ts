/**
 * What is ours on a server is marked with the token of its database. What another has created is neither taken over nor
 * dropped.
 */
import { randomBytes } from 'node:crypto'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'

export type Names = Pick<DatabaseRequest, 'name' | 'owner' | 'token' | 'databaseId'>

export interface OwnerSecret {
  /** The password by the owner's name. */
  secrets: Record<string, string>
}

/** What the server has under a name. */
export type Ownership = 'none' | 'ours' | 'foreign'

export const markOf = ({ token }: Pick<Names, 'token'>): string => `Created by Tidemark, ${token}`

/** Held while a call for the database works. At most 64 characters, which all engines accept. */
export const lockOf = ({ databaseId }: Pick<Names, 'databaseId'>): string => `tidemark ${databaseId}`

/** 48 hexadecimal digits. */
export const newPassword = (): string => randomBytes(24).toString('hex')

export const ownershipOf = (row: object | undefined, isOurs: boolean): Ownership => {
  if (!row) return 'none'
  return isOurs ? 'ours' : 'foreign'
}

export const lockedFault = () =>
  cloudFault('transient', 'conflict', 'An earlier call for the database has not finished yet.')

export const takenFault = (what: string, name: string) =>
  cloudFault(
    'user_action',
    'already_exists',
    `The server already has a ${what} named ${name}, which Tidemark did not create.`,
    { fixHint: 'Choose another name.' },
  )
