-- Number of rows in the files {files} of a backup.
SELECT toString(count()) AS rows FROM file({files:String}, 'RowBinaryWithNamesAndTypes')
