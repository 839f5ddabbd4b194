/** Secrets that are kept: what they are bound to, and what seals and opens them. */
import type { Subject } from '#engine/actor/subject.ts'

/** A column that holds sealed values, and nothing else. A value opens there alone, and in rows of its organization. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** Of a JSON column: the member that holds the value. */
  readonly member?: string
  /** Whether rows are of an organization, which their column `org_id` names. */
  readonly isOfOrg: boolean
  /** What it is kept for. */
  readonly purpose: string
  /** Where an actor writes the rows: the message by which it is given the same value sealed anew; `id` is the row's. */
  readonly resealed?: (row: { id: string; place?: string; was: string; sealed: string }) => Resealed
  /** Of rows of actors that have a place of their own: the column that holds it. */
  readonly place?: string
}

export interface Resealed {
  readonly subject: Subject
  readonly data: object
}

/** `orgId` is empty where rows are of no organization. Text; never the same twice. @throws Fault `defect` for a column that no list names */
export type Seal = (column: SealedColumn, orgId: string, secret: unknown) => string

/** What was sealed. @throws Fault `defect` when it was sealed elsewhere or under a key that is not there, or was changed */
export type Open = (column: SealedColumn, orgId: string, sealed: string) => unknown
