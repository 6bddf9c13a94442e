package mainlast
