/* to be written */
typedef int reference_pca_unwritten;
