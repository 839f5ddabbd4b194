/** What the API answers, by kind. */
import type { Reply } from '../../api.ts'

export type WhatIf = Reply<'POST /what-if'>
export type WhatIfOf<K extends WhatIf['kind']> = Extract<WhatIf, { kind: K }>
