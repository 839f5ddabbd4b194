/** Everything that is kept sealed. Nothing else can be: `seal` refuses a column that is not here. */
import { sealedColumns } from '#actors/index.ts'
import type { SealedColumn } from '#engine/seal.ts'
import { identitySealed } from '#http/identity/sealed-columns.ts'

export const allSealedColumns: readonly SealedColumn[] = [...sealedColumns, ...identitySealed]
