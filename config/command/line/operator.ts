/** Who the audit trail names for what a command does. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { recordEvent, type NewSecurityEvent } from '#http/identity/organization/audit.ts'

export const operator = { ip: '', userAgent: 'command line', requestId: '' }

/** Writes down what an operator did, in the transaction of `em`. */
export const recordOfOperator = (
  em: EntityManager,
  happened: Omit<NewSecurityEvent, 'principal'>,
  at: Date,
): Promise<void> => recordEvent(em, { ...happened, principal: 'operator' }, operator, at)
