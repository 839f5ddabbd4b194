/** All encrypted columns. `seal` refuses a column that is not in this list. */
import { sealedColumns } from '#actors/index.ts'
import type { SealedColumn } from '#engine/seal.ts'
import { identitySealed } from '#http/identity/sealed-columns.ts'

export const allSealedColumns: readonly SealedColumn[] = [...sealedColumns, ...identitySealed]
