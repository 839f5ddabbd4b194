/** Encrypted secrets: the columns they are bound to, and the functions that encrypt and decrypt them. */
import type { Subject } from '#engine/actor/subject.ts'

/**
 * A column that contains only encrypted values. A value can be decrypted only in this column and in rows of its
 * organization.
 */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** For a JSON column: the member that contains the value. */
  readonly member?: string
  /** Whether each row belongs to an organization, named by its column `org_id`. */
  readonly isOfOrg: boolean
  /** What the secret is used for. */
  readonly purpose: string
  /** If an actor writes the rows: the message that gives it the same value encrypted again; `id` is the row's. */
  readonly resealed?: (row: { id: string; place?: string; was: string; sealed: string }) => ResealMessage
  /** For rows of actors with a place of their own: the column that contains it. */
  readonly place?: string
}

interface ResealMessage {
  readonly subject: Subject
  readonly data: object
}

/**
 * `orgId` is empty if rows belong to no organization. Returns text that differs every time. @throws Fault `defect` for
 * a column that is not registered
 */
export type Seal = (column: SealedColumn, orgId: string, secret: unknown) => string

/**
 * The decrypted value. @throws Fault `defect` if it was encrypted for another column or with an unknown key, or was
 * changed
 */
export type Open = (column: SealedColumn, orgId: string, sealed: string) => unknown
