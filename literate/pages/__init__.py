"""What a page says: its blocks, prose, tables and pictures, read and rewritten."""
