import { inPieces } from '#http/edge/csv.ts'
import { parquetBytes } from '#http/file/parquet.ts'
import { sheetText, type Format, type Sheet } from '#http/file/sheet.ts'

/** The content of a file with the sheet. Numbers keep all their digits in every format. */
export const sheetPieces = (sheet: Sheet, format: Format): AsyncGenerator<string | Buffer, void> =>
  format === 'parquet' ? parquetBytes(sheet) : inPieces(sheetText(sheet, format))
